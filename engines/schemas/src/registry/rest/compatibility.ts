/** `/compatibility`: whether a content may become the next version, without registering it. */
import { requireSubject, requireVersion } from '../grammar.ts';
import { errors } from '../registry-error.ts';
import { detailOf } from '../registry-store.ts';
import * as sql from '../registry.sql.ts';
import { schemaOf } from './bodies.ts';
import type { Call, Route } from './route.ts';

/** Compares with one version, regardless of the level. Any schema is compatible with the newest version of a subject without versions. */
const versionOf = async ({ store, environment, names: [name = '', text] }: Call): Promise<number | undefined> => {
  if (text === undefined) return undefined;
  const version = requireVersion(text);
  const { versions } = await sql.selectState(store.pool, environment, requireSubject(name));
  const live = versions.filter(({ isDeleted }) => !isDeleted);
  if (version === 'latest') return live.at(-1)?.version;
  if (versions.length === 0) throw errors.noSubject(name);
  if (!live.some((row) => row.version === version)) throw errors.noVersion(version);
  return version;
};

const check = async (call: Call): Promise<object> => {
  const { store, environment, exchange, names } = call;
  const subject = requireSubject(names[0] ?? '');
  const { text } = schemaOf(await exchange.body());
  const only = await versionOf(call);
  const verdict = await store.verdict(environment, subject, text, only === undefined ? {} : { only });
  const isVerbose = exchange.isTrue('verbose');
  const [problem] = verdict.problems;
  // An invalid schema is an error, unless a verbose client wants the reason in the answer.
  if (problem && !isVerbose) throw errors.invalidSchema(problem.message);
  const messages = [...verdict.problems.map(({ line, message }) => `Line ${line}: ${message}`), ...verdict.issues.map(detailOf)];
  return { is_compatible: verdict.isCompatible, ...(isVerbose && messages.length > 0 ? { messages } : {}) };
};

export const compatibilityRoutes: readonly Route[] = [
  { method: 'POST', path: '/compatibility/subjects/:/versions', run: check },
  { method: 'POST', path: '/compatibility/subjects/:/versions/:', run: check },
];
