/** Number of edits between two words. */
export const distance = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const line = [row + 1];
    for (const [at, wanted] of [...other].entries())
      line.push(Math.min((line[at] ?? 0) + 1, (above[at + 1] ?? 0) + 1, (above[at] ?? 0) + (letter === wanted ? 0 : 1)));
    above = line;
  }
  return above.at(-1) ?? 0;
};
