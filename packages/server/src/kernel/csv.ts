/** Lines of CSV exports. */

/**
 * Escapes a field by RFC 4180. Prefixes formulas with an apostrophe, because exports contain user input that a spreadsheet would execute.
 */
export const csvField = (value: string): string => {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
export const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(',')}\r\n`;
