/** Paths of secret groups, and of what a service reads. */
import {
  secretEnvironmentCompare,
  secretGroupCopy,
  secretGroupCreate,
  secretGroupDelete,
  secretGroupList,
  secretGroupRestart,
  secretGroupUpdate,
  secretGroupView,
  secretKeyExpiry,
  secretReveal,
  secretVersionCompare,
  secretVersionCreate,
  secretVersionDelete,
  secretVersionList,
  secretVersionRestore,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
  serviceSecretGroupList,
  type SecretGroup,
} from '@slipway/contract/secret/secret-group.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import type { Made } from '#kernel/http/write-claim.ts';
import { Problem } from '#kernel/problem.ts';
import { attachGroup, detachGroup, serviceGroups } from './attachments.ts';
import { compareEnvironments, compareVersions } from './compare.sql.ts';
import { currentVersion, groupByName, groupPage, versionPage, type GroupKey, type Viewer } from './groups.sql.ts';
import { restartServices, type Redeploy } from './restart.ts';
import { copyGroup, createGroup, deleteGroup, deleteVersion, requireGroup, updateGroup, type SecretDeps } from './secret-groups.ts';
import type { Place } from './usage.sql.ts';
import { createVersion, restoreVersion, revealValue, setExpiry } from './versions.ts';

export interface SecretGroupDeps extends SecretDeps {
  readonly redeploy: Redeploy;
}

type InApp = { params: { app: string }; owner: Owner; caller: Caller; environment: Place['environment'] };
type InGroup = InApp & { params: { group: string } };
const placeOf = (c: InApp): Place => ({ app: c.params.app, environment: c.environment });
const keyOf = (c: InGroup): GroupKey => ({ ...placeOf(c), group: c.params.group });
const viewerOf = (c: InApp): Viewer => ({ app: { id: c.params.app, ...c.owner }, caller: c.caller });

/** Beyond this no number is a version; PostgreSQL would refuse it as no integer. */
const MAX_VERSION = 2_147_483_647;
const versionOf = (text: string): number => {
  const version = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (version === 0 || version > MAX_VERSION) throw new Problem('SecretVersionDoesNotExist');
  return version;
};

const pipelinesOf = (made: readonly Made[]): string[] => made.flatMap(({ pipelineId }) => pipelineId ?? []);

const shown = async ({ db }: SecretDeps, key: GroupKey, viewer: Viewer): Promise<SecretGroup> => {
  const group = await groupByName(db, key, viewer);
  if (!group) throw new Problem('SecretGroupDoesNotExist');
  return group;
};

/** Also what a repeat is answered. */
const shownIn = (deps: SecretDeps) => (c: InGroup) => shown(deps, keyOf(c), viewerOf(c));

const groupHandlers = (deps: SecretGroupDeps): Handler[] => [
  handle(secretGroupList, (c) => groupPage(deps.db, placeOf(c), c.query, viewerOf(c))),
  handle(secretGroupCreate, async (c) => shown(deps, await createGroup(deps, viewerOf(c), placeOf(c), c.body), viewerOf(c))),
  handle(secretGroupView, shownIn(deps)),
  handle(
    secretGroupUpdate,
    async (c) => {
      await updateGroup(deps, viewerOf(c), keyOf(c), c.body.autoAttach);
      return shownIn(deps)(c);
    },
    shownIn(deps),
  ),
  handle(secretGroupDelete, (c) => deleteGroup(deps, viewerOf(c), keyOf(c)) as Promise<undefined>),
  handle(
    secretGroupCopy,
    async (c) => shown(deps, await copyGroup(deps, viewerOf(c), keyOf(c), c.body), viewerOf(c)),
    (c) => shown(deps, { app: c.params.app, environment: c.body.environment, group: c.body.name }, viewerOf(c)),
  ),
  handle(secretReveal, (c) => revealValue(deps, viewerOf(c), keyOf(c), c.body)),
  handle(
    secretKeyExpiry,
    async (c) => {
      await setExpiry(deps, viewerOf(c), keyOf(c), c.params.key, c.body.expiresAt);
      return shownIn(deps)(c);
    },
    shownIn(deps),
  ),
  handle(
    secretGroupRestart,
    (c) => restartServices(deps, c.caller, keyOf(c), { only: c.body.services }),
    (c, made) => restartServices(deps, c.caller, keyOf(c), { only: c.body.services, started: pipelinesOf(made) }),
  ),
  handle(secretEnvironmentCompare, (c) => compareEnvironments(deps.db, c.params.app)),
];

const versionHandlers = (deps: SecretGroupDeps): Handler[] => [
  handle(secretVersionList, async (c) => {
    const group = await requireGroup(deps.db, keyOf(c));
    return versionPage(deps.db, placeOf(c), group, c.query, viewerOf(c));
  }),
  handle(secretVersionCreate, async (c) => {
    await createVersion(deps, viewerOf(c), keyOf(c), c.body);
    return shown(deps, keyOf(c), viewerOf(c));
  }),
  handle(secretVersionDelete, (c) => deleteVersion(deps, viewerOf(c), keyOf(c), versionOf(c.params.version)) as Promise<undefined>),
  handle(
    secretVersionRestore,
    async (c) => {
      await restoreVersion(deps, viewerOf(c), keyOf(c), versionOf(c.params.version));
      return shown(deps, keyOf(c), viewerOf(c));
    },
    shownIn(deps),
  ),
  handle(secretVersionCompare, async (c) => {
    const { id } = await requireGroup(deps.db, keyOf(c));
    return compareVersions(deps.db, id, c.query.version ?? (await currentVersion(deps.db, id)), c.query.with);
  }),
];

const attached = async ({ db }: SecretDeps, c: InGroup & { params: { service: string } }) => {
  const found = (await serviceGroups(db, placeOf(c), c.params.service)).find(({ group }) => group === c.params.group);
  if (!found) throw new Problem('SecretGroupDoesNotExist');
  return found;
};

const serviceHandlers = (deps: SecretGroupDeps): Handler[] => [
  handle(serviceSecretGroupList, (c) => serviceGroups(deps.db, placeOf(c), c.params.service)),
  handle(
    serviceSecretGroupAttach,
    async (c) => {
      await attachGroup(deps, viewerOf(c), keyOf(c), c.params.service, c.body.exposeAsEnvironment);
      return attached(deps, c);
    },
    (c) => attached(deps, c),
  ),
  handle(serviceSecretGroupDetach, (c) => detachGroup(deps, viewerOf(c), keyOf(c), c.params.service) as Promise<undefined>),
];

export const secretGroupRoutes = (deps: SecretGroupDeps): Handler[] => [
  ...groupHandlers(deps),
  ...versionHandlers(deps),
  ...serviceHandlers(deps),
];
