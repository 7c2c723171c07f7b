// The logbook: what people wrote, and what is accepted.
const KEPT = 50;
const LONGEST = { name: 40, message: 280 };
const LABELS = { name: 'Name', message: 'Message' };

const check = (field, value) => {
  if (value === '') return `${LABELS[field]} is required`;
  if ([...value].length > LONGEST[field]) return `${LABELS[field]} may have at most ${LONGEST[field]} characters`;
  return undefined;
};

/** Reads a sent form: { values, errors }, where errors holds a sentence for every field that is wrong. */
export const readEntry = (form) => {
  const values = { name: (form.get('name') ?? '').trim(), message: (form.get('message') ?? '').trim() };
  const wrong = Object.entries(values).map(([field, value]) => [field, check(field, value)]);
  return { values, errors: Object.fromEntries(wrong.filter(([, message]) => message !== undefined)) };
};

/** Keeps the newest entries in memory: they are gone after a restart, and every instance has its own. Put a database here. */
export class Logbook {
  #entries = [];

  /** Newest first. */
  list() {
    return this.#entries;
  }

  add({ name, message }, at = new Date()) {
    this.#entries = [{ name, message, at }, ...this.#entries].slice(0, KEPT);
  }
}
