import { apiVersion, florinVersion } from '../versions';

export const homePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

const links = [
  ['/reference', 'API reference', 'every endpoint, with code samples and a client to try them'],
  ['/api/v1/openapi.json', 'OpenAPI document', 'the public API for code generators'],
  ['/operator/v1/openapi.json', 'OpenAPI document of the operator API', 'companies, API keys, products and reviews'],
  ['/health/ready', 'Readiness', 'the state of every dependency'],
  ['/metrics', 'Metrics', 'in the Prometheus text format'],
] as const;

/** The page at `/`. It loads nothing. */
export function homePage(): string {
  const items = links.map(([url, name, meaning]) => `      <li><a href="${url}">${name}</a>: ${meaning}</li>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Florin</title>
    <style>
      :root { color-scheme: light dark; }
      body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
    </style>
  </head>
  <body>
    <h1>Florin</h1>
    <p>The open card-account platform. Florin ${florinVersion}, API ${apiVersion}.</p>
    <ul>
${items.join('\n')}
    </ul>
    <p>
      The guides are Markdown files in the <code>docs</code> folder of the source code. Start with
      <code>README.md</code>, <code>docs/WEBHOOKS.md</code> and <code>docs/OPERATIONS.md</code>.
    </p>
  </body>
</html>
`;
}
