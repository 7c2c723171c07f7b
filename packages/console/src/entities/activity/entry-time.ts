/** Reads the time of an entry from its id, so that a link to an entry finds it however old it is. */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLetters = 9;
/** Tolerance for clock differences between the server and its database. */
const aroundMs = 120_000;

/** Returns milliseconds since 1970; undefined for an invalid id. Ids are `act_`, nine time characters (Crockford base 32), then random. */
export const entryTime = (id: string): number | undefined => {
  const letters = /^[a-z]+_([0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]+$/.exec(id)?.[1];
  if (letters?.length !== timeLetters) return undefined;
  return [...letters].reduce((sum, letter) => sum * alphabet.length + alphabet.indexOf(letter), 0);
};

/** Returns the time range that must contain the entry, in the filter's format. */
export const spanAround = (id: string): { from: string; to: string } | undefined => {
  const at = entryTime(id);
  // JavaScript dates end in the year 275760.
  if (at === undefined || at > 8.64e15) return undefined;
  return { from: new Date(at - aroundMs).toISOString(), to: new Date(at + aroundMs).toISOString() };
};
