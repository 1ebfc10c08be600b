import { execFileSync } from 'node:child_process';
import { candidatesFor, completionScripts } from './completion';
import { runCommand } from './testing/run-command';
import { testProgram } from './testing/test-program';

const words = (...line: readonly string[]) => candidatesFor(testProgram(), line).map(({ word }) => word);

describe('Completion', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['ope'], ['operations', 'operators']],
    [
      ['--url', 'http://127.0.0.1:1', 'ope'],
      ['operations', 'operators'],
    ],
    [
      ['operations', ''],
      ['list', 'show', 'quote', 'create'],
    ],
    [
      ['keys', 'r'],
      ['rotate', 'revoke'],
    ],
    [
      ['keys', 'list', '--'],
      ['--limit', '--cursor', '--all', '--help', '--version', '--url', '--token', '--json'],
    ],
    [
      ['operations', 'create', '--type', ''],
      ['issue', 'topup', 'service', 'unload'],
    ],
    [['operations', 'create', '--type', 'issue', '--product'], ['--product-id']],
    [['keys', 'create', 'c1', '--environment', 's'], ['sandbox']],
    [['trigger', 'webhook'], ['webhook_endpoint.disabled']],
    [['audit', 'c'], ['check']],
    [['audit', '--pub'], ['--public-key']],
    [['explain', 'balance', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['keys', 'create', '--name', ''], []],
    [['unknown', 'ke'], []],
  ])('completes %j', (line, expected) => {
    expect(words(...line)).toEqual(expected);
  });

  it.each([
    ['bash', 'rotate\nrevoke\n'],
    ['zsh', 'rotate:Issue a new secret for an API key'],
    ['fish', 'rotate\tIssue a new secret for an API key'],
  ])('prints candidates as %s reads them', async (shell, start) => {
    const { exitCode, out } = await runCommand(['completion', shell, '--', 'keys', 'r']);
    expect([exitCode, out.startsWith(start)]).toEqual([0, true]);
  });

  it.each(Object.keys(completionScripts))('has a script for %s', async (shell) => {
    const { out } = await runCommand(['completion', shell]);
    expect(out).toContain(`florin completion ${shell} -- `);
  });

  it('rejects other shells', async () => {
    const { exitCode, err } = await runCommand(['completion', 'csh']);
    expect([exitCode, err]).toEqual([2, expect.stringMatching(/Allowed choices are bash, zsh, fish/)]);
  });

  it('passes the words up to the cursor to florin, and offers what it prints, in a real bash', () => {
    const script = `
      florin() { printf '<%s>' "$@" >&3; printf 'operations\\noperators\\n'; }
      ${completionScripts.bash}
      COMP_WORDS=(florin --company 'Acme Corporation' ope list) COMP_CWORD=3
      _florin
      printf '%s|' "\${COMPREPLY[@]}"
      complete -p florin`;
    const output = execFileSync('bash', ['-c', `exec 3>&1; ${script}`], { encoding: 'utf8' });
    expect(output).toContain('<completion><bash><--><--company><Acme Corporation><ope>');
    expect(output).toContain('operations|operators|complete -o default -F _florin florin');
  });
});
