/** Paths of secret groups, and of what a service reads. */
import {
  secretEnvironmentCompare,
  secretGroupCopy,
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
import { Problem } from '#kernel/problem.ts';
import { createEntity, requireEntity, resourceModule, type AreaOf } from '#modules/resources/index.ts';
import { attachGroup, detachGroup, serviceGroups } from './attachments.ts';
import { compareEnvironments, compareVersions } from './compare.sql.ts';
import { copiedGroup, groupEntity } from './group-entity.ts';
import { currentVersion, versionPage, type GroupKey, type Viewer } from './groups.sql.ts';
import { deleteVersion, requireGroup, type SecretDeps } from './secret-groups.ts';
import type { Place } from './usage.sql.ts';
import { createVault } from './vault.ts';
import { createVersion, restoreVersion, revealValue, setExpiry } from './versions.ts';

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

type Shown = (c: InGroup) => Promise<SecretGroup>;

const groupHandlers = (deps: SecretDeps, shown: Shown): Handler[] => [
  handle(secretReveal, (c) => revealValue(deps, viewerOf(c), keyOf(c), c.body)),
  handle(
    secretKeyExpiry,
    async (c) => {
      await setExpiry(deps, viewerOf(c), keyOf(c), c.params.key, c.body.expiresAt);
      return shown(c);
    },
    shown,
  ),
  handle(secretEnvironmentCompare, (c) => compareEnvironments(deps.db, c.params.app)),
];

const versionHandlers = (deps: SecretDeps, shown: Shown): Handler[] => [
  handle(secretVersionList, async (c) => {
    const group = await requireGroup(deps.db, keyOf(c));
    return versionPage(deps.db, placeOf(c), group, c.query, viewerOf(c));
  }),
  handle(secretVersionCreate, async (c) => {
    await createVersion(deps, viewerOf(c), keyOf(c), c.body);
    return shown(c);
  }),
  handle(secretVersionDelete, (c) => deleteVersion(deps, viewerOf(c), keyOf(c), versionOf(c.params.version))),
  handle(
    secretVersionRestore,
    async (c) => {
      await restoreVersion(deps, viewerOf(c), keyOf(c), versionOf(c.params.version));
      return shown(c);
    },
    shown,
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

const serviceHandlers = (deps: SecretDeps): Handler[] => [
  handle(serviceSecretGroupList, (c) => serviceGroups(deps.db, placeOf(c), c.params.service)),
  handle(
    serviceSecretGroupAttach,
    async (c) => {
      await attachGroup(deps, viewerOf(c), keyOf(c), c.params.service, c.body.exposeAsEnvironment);
      return attached(deps, c);
    },
    (c) => attached(deps, c),
  ),
  handle(serviceSecretGroupDetach, (c) => detachGroup(deps, viewerOf(c), keyOf(c), c.params.service)),
];

/** Restarting what reads a group is for the area of services, which deploys. */
export const secretGroupArea: AreaOf = ({ database: { db, pool }, adapters: { keys }, engine }) => {
  const deps = { db, vault: createVault(pool, keys) };
  const entity = groupEntity(deps);
  const area = resourceModule({ db, engine }, entity);
  const shown: Shown = (c) => requireEntity(db, entity, c.params, c.caller);
  const copy = handle(
    secretGroupCopy,
    async ({ caller, owner, params, environment, body }) => {
      const wanted = await copiedGroup(deps, { ...params, environment }, body);
      const names = { app: params.app, env: body.environment };
      const copied = await createEntity(area.deps, entity, { caller, owner, names, wanted }, secretGroupCopy);
      return requireEntity(db, entity, copied.names, caller);
    },
    (c) => requireEntity(db, entity, { app: c.params.app, env: c.body.environment, group: c.body.name }, c.caller),
  );
  return {
    ...area,
    routes: [...area.routes, copy, ...groupHandlers(deps, shown), ...versionHandlers(deps, shown), ...serviceHandlers(deps)],
  };
};
