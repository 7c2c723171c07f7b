/** When an entry was written, read off its id: an address that names an entry finds it however far back it lies. */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLetters = 9;
/** Clocks of the server and its database may differ. */
const aroundMs = 120_000;

/** Milliseconds since 1970; undefined for what is no id. Ids are `act_` and nine letters of time in Crockford's base 32, then chance. */
export const entryTime = (id: string): number | undefined => {
  const letters = /^[a-z]+_([0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]+$/.exec(id)?.[1];
  if (letters?.length !== timeLetters) return undefined;
  return [...letters].reduce((sum, letter) => sum * alphabet.length + alphabet.indexOf(letter), 0);
};

/** The stretch of the log in which the entry must be, as the filter takes it. */
export const spanAround = (id: string): { from: string; to: string } | undefined => {
  const at = entryTime(id);
  // Dates end in the year 275760.
  if (at === undefined || at > 8.64e15) return undefined;
  return { from: new Date(at - aroundMs).toISOString(), to: new Date(at + aroundMs).toISOString() };
};
