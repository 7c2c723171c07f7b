/** Writes of browser monitors. */
import { expect } from 'vitest';
import {
  monitorCreate,
  monitorDelete,
  monitorErase,
  monitorForward,
  monitorKeyRotate,
  monitorSourceMapDelete,
  monitorSourceMapUpload,
  monitorUpdate,
  monitorView,
  type Monitor,
} from '@slipway/contract/monitoring/monitor.ts';
import { monitorErrorList, monitorErrorUpdate, type MonitorError } from '@slipway/contract/monitoring/readings.ts';
import { view, type Place, type World, type Write } from './write.ts';

const named = { monitor: 'plans-web' };
const map = { version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' };
const namesake = { isInNamesakes: true } as const;
const ofMap = { ...named, release: '1.0', file: 'index.js' };

/** Sends an error of a person to the monitor of a place. */
const fail = async (world: World, place: Place): Promise<void> => {
  const { apiKey, collectorUrl } = await view<Monitor>(world, place, monitorView, named);
  const exceptions = [{ type: 'Error', value: 'boom', timestamp: new Date().toISOString() }];
  const body = JSON.stringify({ meta: { session: { id: 'one' }, user: { id: 'olga' } }, exceptions });
  const { status } = await fetch(collectorUrl, { method: 'POST', body, headers: { 'x-api-key': apiKey } });
  expect(status).toBe(202);
};
const ofError = async (world: World, place: Place) => ({
  ...named,
  errorId: (await view<{ content: MonitorError[] }>(world, place, monitorErrorList, named)).content[0]?.id ?? '',
});

export const monitorWrites: readonly Write[] = [
  { route: monitorCreate, ...namesake, request: { body: { name: 'plans-web', allowedOrigins: ['*'] } }, after: fail },
  { route: monitorUpdate, request: { params: named, body: { samplePercent: 50 } } },
  { route: monitorKeyRotate, request: { params: named, body: {} } },
  { route: monitorForward, request: ({ receiver }) => ({ params: named, body: { url: receiver, authorization: 'Bearer one' } }) },
  { route: monitorSourceMapUpload, ...namesake, request: { params: ofMap, body: map } },
  { route: monitorSourceMapDelete, request: { params: { ...named, release: '1.0' } } },
  { route: monitorErrorUpdate, request: async (world, place) => ({ params: await ofError(world, place), body: { state: 'MUTED' } }) },
  { route: monitorErase, request: { params: named, body: { userId: 'olga' } } },
  { route: monitorDelete, request: { params: named } },
];
