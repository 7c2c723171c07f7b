// Berths: what one looks like, which ones are accepted, and where they are kept.
import { randomUUID } from 'node:crypto';

import { Problem } from './problem.js';

const FIELDS = ['name', 'quay', 'lengthMetres', 'depthMetres'];

const isText = (value, longest) => typeof value === 'string' && value.trim() !== '' && value.length <= longest;
const isBetween = (value, least, most) => typeof value === 'number' && value >= least && value <= most;

const rules = {
  name: { isValid: (value) => isText(value, 60), message: 'must be a text of 1 to 60 characters' },
  quay: { isValid: (value) => isText(value, 60), message: 'must be a text of 1 to 60 characters' },
  lengthMetres: { isValid: (value) => isBetween(value, 5, 500), message: 'must be a number from 5 to 500' },
  depthMetres: { isValid: (value) => isBetween(value, 1, 40), message: 'must be a number from 1 to 40' },
};

/** The fields of a new berth, or a problem that names every field that is wrong. */
export const readBerth = (body) => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Problem(400, 'The body must be a JSON object');
  const wrong = FIELDS.filter((field) => !rules[field].isValid(body[field])).map((field) => ({ field, message: rules[field].message }));
  const unknown = Object.keys(body).filter((field) => !FIELDS.includes(field));
  const errors = [...wrong, ...unknown.map((field) => ({ field, message: 'is not a field of a berth' }))];
  if (errors.length > 0) throw new Problem(400, 'The berth is not valid', { errors });
  return { name: body.name.trim(), quay: body.quay.trim(), lengthMetres: body.lengthMetres, depthMetres: body.depthMetres };
};

/** Keeps berths in memory: they are gone after a restart, and every instance has its own. Put a database here. */
export class BerthStore {
  #berths = new Map();

  constructor(berths = []) {
    for (const berth of berths) this.create(berth);
  }

  list({ minLengthMetres = 0 } = {}) {
    return [...this.#berths.values()].filter(({ lengthMetres }) => lengthMetres >= minLengthMetres);
  }

  get(id) {
    return this.#berths.get(id);
  }

  create(fields) {
    const berth = { id: randomUUID(), ...fields, createdAt: new Date().toISOString() };
    this.#berths.set(berth.id, berth);
    return berth;
  }

  delete(id) {
    return this.#berths.delete(id);
  }
}

export const exampleBerths = [
  { name: 'Berth 1', quay: 'North Quay', lengthMetres: 180, depthMetres: 9.5 },
  { name: 'Berth 2', quay: 'North Quay', lengthMetres: 240, depthMetres: 11 },
  { name: 'Pilot steps', quay: 'Old Harbour', lengthMetres: 25, depthMetres: 3.2 },
];
