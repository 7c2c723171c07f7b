/** The tags in what somebody types: apart by commas or spaces, in lowercase, each once. */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((tag) => tag !== ''),
  ),
];
