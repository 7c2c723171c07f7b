/** Names that are likely meant by a mistyped name. */

/** Number of letters to insert, remove or replace (Levenshtein). */
export const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    let diagonal = index;
    row = row.map((above, column) => {
      if (column === 0) return index + 1;
      const cost = Math.min(diagonal + (letter === to[column - 1] ? 0 : 1), above + 1);
      diagonal = above;
      return cost;
    });
    for (let column = 1; column < row.length; column += 1) row[column] = Math.min(row[column] ?? 0, (row[column - 1] ?? 0) + 1);
  }
  return row[to.length] ?? 0;
};

const most = 3;
/** Returns at most three names, the most similar first. A third of the letters may differ. */
export const nearNames = (wanted: string, names: readonly string[]): readonly string[] =>
  [...new Set(names)]
    .map((name) => ({ name, letters: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, letters }) => name !== wanted && letters <= Math.max(1, Math.floor(Math.max(name.length, wanted.length) / 3)))
    .toSorted((a, b) => a.letters - b.letters || a.name.localeCompare(b.name))
    .slice(0, most)
    .map(({ name }) => name);
