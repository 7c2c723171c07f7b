/** Pieces of shell that carry untrusted text: quoted words, and an environment that is handed over through a pipe instead of the arguments. */

export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const shellWords = (words: readonly string[]): string => words.map(shellQuote).join(' ');

/**
 * Names that must not be set while a program of the machine still runs with the server's rights: the dynamic linker and the C
 * library would load code by them, shells refuse or interpret them. They reach the program through `env` inside.
 */
const LOADER_NAMES =
  /^(?:LD_.*|GLIBC_.*|MALLOC_.*|BASH.*|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TMPDIR|TZDIR|SHELLOPTS|OPTIND|LINENO|PPID|UID|EUID|GROUPS|IFS|PS4|ENV|_)$/;
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Shell text that exports the environment. Names that only a program inside may see become the arguments `$@`, to stand before the
 * program: `env` with their values. `innerEnv` is the path of `env` inside; without one such names are left out.
 */
export function handOverEnvironment(env: Readonly<Record<string, string>>, innerEnv: string | undefined): string {
  const exports: string[] = [];
  const late: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0') || value.includes('\0')) continue;
    if (SHELL_NAME.test(name) && !LOADER_NAMES.test(name)) exports.push(`export ${name}=${shellQuote(value)}`);
    else late.push(`${name}=${value}`);
  }
  if (innerEnv !== undefined && late.length > 0) exports.push(`set -- ${shellWords([innerEnv, ...late])}`);
  return `${exports.join('\n')}\n`;
}
