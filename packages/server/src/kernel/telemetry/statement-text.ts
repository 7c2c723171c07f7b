/** Removes values from the text of an SQL statement. Parameters are not in the text, but passwords of roles and values of `lit` are. */

const LONGEST = 2000;

/** Comments and quoted names are matched so that quotes inside them start no literal. An unclosed literal reaches to the end. */
const TOKENS =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|"[^"]*(?:"|$)|\b[eE]'(?:[^'\\]|''|\\[^])*(?:'|$)|'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[^]*?(?:\$\1\$|$)/g;

const withoutValues = (sql: string): string =>
  sql
    .replace(TOKENS, (token) => (token.startsWith('"') ? token : /^[-/]/.test(token) ? '' : "'?'"))
    .slice(0, LONGEST)
    .trim();

/** The platform has some hundred statements. Texts with lists of values have no end, so the oldest are forgotten. */
const REMEMBERED = 1000;
const LONGEST_REMEMBERED = 4000;
interface Statement {
  readonly text: string;
  /** First word: `SELECT`. */
  readonly operation: string;
}
const remembered = new Map<string, Statement>();

export const statementText = (sql: string): Statement => {
  const known = remembered.get(sql);
  if (known !== undefined) return known;
  const text = withoutValues(sql);
  const statement = { text, operation: /[A-Za-z]+/.exec(text)?.[0].toUpperCase() ?? 'SQL' };
  // Passwords must not stay in memory.
  if (sql.length > LONGEST_REMEMBERED || /password/i.test(sql)) return statement;
  const [oldest] = remembered.size < REMEMBERED ? [] : remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
  remembered.set(sql, statement);
  return statement;
};
