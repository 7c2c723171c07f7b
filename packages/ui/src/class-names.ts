/** Joins class names and omits absent ones, so that components can write conditions inline. */
export function classNames(...names: (string | false | null | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
