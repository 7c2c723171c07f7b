// What a robot account must be permitted for a request, finer than the three actions that a token's scope knows. People have no
// permissions of this kind: for them the actions alone count.
import type { RobotAction, RobotPermission } from '@slipway/foundation/ports/registry.ts';
import { isDigest } from '../grammar.ts';

const HOLDS: Readonly<Record<RobotAction, readonly RobotPermission[]>> = {
  pull: ['repository:pull', 'artifact:read', 'tag:list'],
  push: ['repository:push', 'tag:create'],
  delete: ['artifact:delete', 'tag:delete'],
};
const ACTIONS: readonly RobotAction[] = ['pull', 'push', 'delete'];

export const permissionsOfActions = (actions: readonly RobotAction[]): RobotPermission[] => actions.flatMap((action) => HOLDS[action]);

export const actionsOfPermissions = (permissions: readonly RobotPermission[]): RobotAction[] =>
  ACTIONS.filter((action) => HOLDS[action].some((permission) => permissions.includes(permission)));

interface Asked {
  readonly method: string;
  /** As the router has it: `manifests`. */
  readonly kind: string;
  readonly reference: string;
  readonly query: URLSearchParams;
}

/** One of each list is enough, and every list counts. */
export function neededPermissions({ method, kind, reference, query }: Asked): readonly (readonly RobotPermission[])[] {
  if (kind === 'tags') return [['tag:list']];
  if (kind === 'referrers') return [['artifact:read']];
  if (kind === 'blobs/uploads') return [['repository:push']];
  if (method === 'DELETE') return [[kind === 'manifests' && !isDigest(reference) ? 'tag:delete' : 'artifact:delete']];
  if (method === 'PUT') return isDigest(reference) && !query.has('tag') ? [['repository:push']] : [['repository:push'], ['tag:create']];
  // A pusher looks whether something is there already.
  const read: RobotPermission = kind === 'manifests' ? 'artifact:read' : 'repository:pull';
  return [method === 'HEAD' ? [read, 'repository:push'] : [read]];
}
