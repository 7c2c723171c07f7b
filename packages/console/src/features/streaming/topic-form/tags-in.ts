/** Parses tags separated by commas or spaces: lowercase, without duplicates. */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((tag) => tag !== ''),
  ),
];
