/** Routes of freeze windows: those of administrators, and what an app's people see. */
import {
  appFreezeView,
  freezeOverrideCreate,
  freezeWindowCreate,
  freezeWindowEnd,
  freezeWindowList,
  freezeWindowUpdate,
} from '@slipway/contract/freeze.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import type { AreaOf } from '#modules/resources/index.ts';
import { appFreeze, overrideFreeze } from './app-freeze.ts';
import { createFreeze, endFreeze, freezeWindow, freezeWindows, newestFreezeOf, updateFreeze } from './freeze-windows.ts';

interface Place {
  readonly params: { readonly app: string };
  readonly environment: 'development' | 'production';
}
const placeOf = ({ params: { app }, environment }: Place) => ({ app, environment });

const freezeRoutes = (db: Db): Handler[] => [
  handle(freezeWindowList, async () => ({ windows: await freezeWindows(db) })),
  handle(
    freezeWindowCreate,
    (c) => createFreeze(db, c.caller, c.body),
    (c) => newestFreezeOf(db, c.caller),
  ),
  handle(
    freezeWindowUpdate,
    (c) => updateFreeze(db, c.caller, c.params.freezeWindow, c.body),
    (c) => freezeWindow(db, c.params.freezeWindow),
  ),
  handle(
    freezeWindowEnd,
    (c) => endFreeze(db, c.caller, c.params.freezeWindow),
    (c) => freezeWindow(db, c.params.freezeWindow),
  ),
  handle(appFreezeView, (c) => appFreeze(db, c.caller, placeOf(c))),
  handle(
    freezeOverrideCreate,
    (c) => overrideFreeze(db, c.caller, placeOf(c), c.body.reason),
    (c) => appFreeze(db, c.caller, placeOf(c)),
  ),
];

export const freezeArea: AreaOf = ({ database: { db } }) => ({ routes: freezeRoutes(db) });
