/** The area of the demo scene: its routes, and the worker that fills or removes it. */
import { demoSceneFill, demoSceneRemove, demoSceneView } from '@slipway/contract/demo.ts';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Caller } from '#kernel/http/handle.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { AreaContext } from '#modules/resources/index.ts';
import { DemoRunner } from './demo-runner.ts';
import { sceneView, setDirection, type Direction } from './scene.sql.ts';

const start = async (db: Db, caller: Caller, direction: Direction) => {
  await transaction(db, async (trx) => {
    await setDirection(trx, direction, caller.id);
    const isFilling = direction === 'FILLING';
    await recordWrite(trx, caller, {
      type: isFilling ? 'demoSceneFill' : 'demoSceneRemove',
      reason: isFilling ? 'Created' : 'Deleted',
      message: `${caller.displayName} ${isFilling ? 'started the demo scene' : 'asked to remove the demo scene'}`,
    });
  });
  return sceneView(db);
};

export const demoArea = (context: AreaContext) => {
  const { database, adapters, serviceUrl, port, log } = context;
  const { db, pool } = database;
  const runner = new DemoRunner({ db, pool, streaming: adapters.streaming, port, serviceUrl, log });
  const view = () => sceneView(db);
  return {
    routes: [
      handle(demoSceneView, view),
      handle(demoSceneFill, (c) => start(db, c.caller, 'FILLING'), view),
      handle(demoSceneRemove, (c) => start(db, c.caller, 'REMOVING'), view),
    ],
    tasks: [runner],
  };
};
