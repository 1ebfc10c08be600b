import { type ListedProcess, listProcesses } from '../process/process-list';

/** The children of a process, their children, and so on. */
export function descendantsOf(pid: number): ListedProcess[] {
  const all = listProcesses();
  const below = (parent: number): ListedProcess[] =>
    all.filter(({ parentPid }) => parentPid === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}
