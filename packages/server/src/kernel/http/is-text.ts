/** What PostgreSQL takes as text: JSON may hold more. */

/** False where a NUL or half a character stands in a text, however deep. Keys of objects are the schema's. */
export const isText = (value: unknown): boolean => {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(isText);
};
