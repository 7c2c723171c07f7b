/** Instants in fields of the type `datetime-local`, which hold local time. */
export const localText = (at: string | null): string => {
  if (at === null) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
/** Null for an incomplete text. */
export const instantOf = (text: string): string | null =>
  text === '' || Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString();
