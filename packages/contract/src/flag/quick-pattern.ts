/** Most ways in which the alternatives of a pattern can be combined: a matcher may try all of them at each position. */
const maxWays = 32;
const maxLength = 200;

/** Returns in how many ways the alternatives can be combined. Returns infinity if a repeated group has alternatives: each repetition chooses again. */
const waysOf = (pattern: string): number => {
  const levels = [{ closed: 0, open: 1 }];
  for (const [at, character] of [...pattern].entries()) {
    const level = levels.at(-1);
    if (!level) return Infinity;
    if (character === '(') levels.push({ closed: 0, open: 1 });
    else if (character === '|') [level.closed, level.open] = [level.closed + level.open, 1];
    else if (character === ')') {
      const ways = level.closed + level.open;
      levels.pop();
      const outer = levels.at(-1);
      if (!outer || (ways > 1 && /[*+{]/.test(pattern[at + 1] ?? ''))) return Infinity;
      outer.open *= ways;
    }
  }
  return levels.reduce((ways, { closed, open }) => ways * (closed + open), 1);
};

/**
 * True if a backtracking matcher needs at most quadratic time: at most one quantifier, few combinations of alternatives, and no backreference
 * or lookaround. The server evaluates patterns of teams against texts of strangers.
 */
export const isQuickPattern = (pattern: unknown): boolean => {
  if (typeof pattern !== 'string' || pattern.length > maxLength) return false;
  const plain = pattern.replace(/\\[^1-9k]/g, 'x').replace(/\[[^\]]*\]/g, 'x');
  if (/\\|\(\?(?!:)/.test(plain)) return false;
  const groups = plain.replace(/\(\?:/g, '(');
  if ((groups.match(/[*+?{]/g) ?? []).length > 1 || waysOf(groups) > maxWays) return false;
  try {
    return new RegExp(pattern).source !== '';
  } catch {
    return false;
  }
};
