/** `slipway demo`: fills a running platform with the demo scene, or removes it, over the API. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DemoScene, demoSceneFill, demoSceneRemove, demoSceneView } from '@slipway/contract/demo.ts';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import { errorMessage } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';

export const demoUsage = `slipway demo                      fills a running platform with a lively scene: apps, data, messages, failures, requests
  --remove                   removes everything that the scene created, and nothing else
  --url <address>            of the platform; else SLIPWAY_URL, or http://localhost:4000
                             The token of an administrator is in SLIPWAY_TOKEN or SLIPWAY_ADMIN_TOKEN.
`;

const POLL_MS = 500;
const wrong = (what: string, options?: ErrorOptions): StartError => new StartError(`slipway: ${what}`, options);

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: { remove: { type: 'boolean' }, url: { type: 'string' } } }).values;
  } catch (error) {
    throw wrong(`${errorMessage(error)}\n\n${demoUsage}`, { cause: error });
  }
};

type Route = typeof demoSceneView | typeof demoSceneFill | typeof demoSceneRemove;
const caller = (url: string, token: string) => async (route: Route) => {
  const answer = await fetch(new URL(pathOf(route), url), {
    method: route.method,
    headers: { authorization: `Bearer ${token}` },
  }).catch((error: unknown) => {
    throw wrong(`${url} does not answer. Is Slipway running there?`, { cause: error });
  });
  if (answer.status === 401) throw wrong('The platform does not know this token. Set SLIPWAY_TOKEN to the API token of an administrator.');
  if (answer.status === 403) throw wrong('Only administrators of the platform may do this.');
  if (!answer.ok) throw wrong(`The platform answered ${answer.status}`);
  return DemoScene.parse(await answer.json());
};

/** Follows the work until it ends. `say` prints a line for each step. */
export const demoCommand = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  say: (text: string) => void,
): Promise<void> => {
  const { remove = false, url = env['SLIPWAY_URL'] ?? 'http://localhost:4000' } = parsed(args);
  const token = env['SLIPWAY_TOKEN'] ?? env['SLIPWAY_ADMIN_TOKEN'];
  if (!token) throw wrong('Set SLIPWAY_TOKEN to the API token of an administrator.');
  if (!URL.canParse(url)) throw wrong(`${url} is not an address`);
  const call = caller(url, token);
  const goal = remove ? 'NONE' : 'FILLED';
  let scene = await call(remove ? demoSceneRemove : demoSceneFill);
  let said = '';
  while (scene.state !== goal) {
    if (scene.failure !== null) throw wrong(`${scene.step ?? 'The demo'}: ${scene.failure} Run the command again to continue.`);
    if (scene.state !== (remove ? 'REMOVING' : 'FILLING')) throw wrong('Somebody else changed the demo scene meanwhile.');
    if (scene.step !== null && scene.step !== said) {
      said = scene.step;
      say(`${String(scene.done + 1).padStart(2)} of ${scene.total}  ${scene.step}`);
    }
    await delay(POLL_MS);
    scene = await call(demoSceneView);
  }
  say(remove ? 'The demo scene is removed.' : `The demo scene is ready: ${scene.objects} objects. Remove it with slipway demo --remove`);
};
