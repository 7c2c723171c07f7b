/** Removes values from the text of an SQL statement. Parameters are not in the text, but passwords of roles and values of `lit` are. */

const LONGEST = 2000;

/** Comments and quoted names are matched so that quotes inside them start no literal. An unclosed literal reaches to the end. */
const TOKENS =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|"[^"]*(?:"|$)|\b[eE]'(?:[^'\\]|''|\\[^])*(?:'|$)|'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[^]*?(?:\$\1\$|$)/g;

export const statementText = (sql: string): string =>
  sql
    .replace(TOKENS, (token) => (token.startsWith('"') ? token : /^[-/]/.test(token) ? '' : "'?'"))
    .slice(0, LONGEST)
    .trim();

/** Returns the first word of a statement: `SELECT`. */
export const operationOf = (text: string): string => /[A-Za-z]+/.exec(text)?.[0].toUpperCase() ?? 'SQL';
