/** `/config` and `/mode`: compatibility levels and modes, of the registry and of subjects. */
import { requireSubject } from '../grammar.ts';
import { errors } from '../registry-error.ts';
import * as sql from '../registry.sql.ts';
import { levelOf, modeOf } from './bodies.ts';
import type { Call, Route } from './route.ts';

const stateOf = ({ store, environment, names: [name = ''] }: Call) => sql.selectState(store.pool, environment, requireSubject(name));

/** Returns the subject's own level, or the registry's level if the client accepts a default. */
const level = async (call: Call): Promise<object> => {
  const { ownLevel, level: common } = await stateOf(call);
  const found = ownLevel ?? (call.exchange.isTrue('defaultToGlobal') ? common : undefined);
  if (!found) throw errors.noLevel(call.names[0] ?? '');
  return { compatibilityLevel: found };
};

const setLevel = async ({ store, environment, exchange, names: [name] }: Call): Promise<object> => {
  const compatibility = levelOf(await exchange.body());
  await store.save(environment, name === undefined ? undefined : requireSubject(name), { level: compatibility });
  return { compatibility };
};

const unsetLevel = async (call: Call): Promise<object> => {
  const { ownLevel } = await stateOf(call);
  if (!ownLevel) throw errors.noSubject(call.names[0] ?? '');
  await call.store.save(call.environment, call.names[0], { level: null });
  return { compatibilityLevel: ownLevel };
};

const mode = async (call: Call): Promise<object> => {
  const { ownMode, mode: common } = await stateOf(call);
  const found = ownMode ?? (call.exchange.isTrue('defaultToGlobal') ? common : undefined);
  if (!found) throw errors.noMode(call.names[0] ?? '');
  return { mode: found };
};

/** Imports bring their own ids. The subject must therefore be empty, unless the client forces the change. */
const setMode = async ({ store, environment, exchange, names: [name] }: Call): Promise<object> => {
  const asked = modeOf(await exchange.body());
  const subject = name === undefined ? undefined : requireSubject(name);
  if (asked === 'IMPORT' && !exchange.isTrue('force')) {
    const isFull =
      subject === undefined
        ? await sql.hasVersions(store.pool, environment)
        : (await sql.selectState(store.pool, environment, subject)).versions.length > 0;
    if (isFull) throw errors.notPermitted('Cannot import since there are schemas already; force=true does it all the same');
  }
  await store.save(environment, subject, { mode: asked });
  return { mode: asked };
};

const unsetMode = async (call: Call): Promise<object> => {
  const { ownMode } = await stateOf(call);
  if (!ownMode) throw errors.noSubject(call.names[0] ?? '');
  await call.store.save(call.environment, call.names[0], { mode: null });
  return { mode: ownMode };
};

const defaultsOf = ({ store, environment }: Call) => sql.selectDefaults(store.pool, environment);

export const settingRoutes: readonly Route[] = [
  { method: 'GET', path: '/config', run: async (call) => ({ compatibilityLevel: (await defaultsOf(call)).level }) },
  { method: 'PUT', path: '/config', isWrite: true, run: setLevel },
  {
    method: 'DELETE',
    path: '/config',
    isWrite: true,
    run: async (call) => {
      const { level: compatibilityLevel } = await defaultsOf(call);
      await call.store.save(call.environment, undefined, { level: 'BACKWARD' });
      return { compatibilityLevel };
    },
  },
  { method: 'GET', path: '/config/:', run: level },
  { method: 'PUT', path: '/config/:', isWrite: true, run: setLevel },
  { method: 'DELETE', path: '/config/:', isWrite: true, run: unsetLevel },
  { method: 'GET', path: '/mode', run: async (call) => ({ mode: (await defaultsOf(call)).mode }) },
  { method: 'PUT', path: '/mode', isWrite: true, run: setMode },
  {
    method: 'DELETE',
    path: '/mode',
    isWrite: true,
    run: async (call) => {
      const { mode: before } = await defaultsOf(call);
      await call.store.save(call.environment, undefined, { mode: 'READWRITE' });
      return { mode: before };
    },
  },
  { method: 'GET', path: '/mode/:', run: mode },
  { method: 'PUT', path: '/mode/:', isWrite: true, run: setMode },
  { method: 'DELETE', path: '/mode/:', isWrite: true, run: unsetMode },
];
