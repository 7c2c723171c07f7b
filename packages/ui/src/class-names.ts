/** Joins class names and leaves out what is absent, so that a component can write its conditions inline. */
export function classNames(...names: (string | false | null | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
