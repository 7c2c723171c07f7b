/** Changes of production services that a second person approves: raising one, and what waits for a service. */
import * as z from 'zod/mini';
import type { ErrorCode } from '../kernel/errors.ts';
import { route, type RouteShape } from '../kernel/kernel.ts';
import { Request, Who } from '../request/request.ts';
import { revisionActivation, revisionDelete } from './revision.ts';
import { serviceActivation, serviceDelete, serviceDeploy } from './service.ts';
import { serviceCopy, serviceCreate, serviceRepositorySet, serviceUpdate, serviceYamlUpdate } from './service-operations.ts';

/** The kind of the requests. */
export const productionChange = 'PRODUCTION_CHANGE';

/** Operations that need approval in production. A rollback needs none: it returns to what production has run before. */
const approvedRoutes = [
  serviceCreate,
  serviceCopy,
  serviceUpdate,
  serviceYamlUpdate,
  serviceRepositorySet,
  serviceDeploy,
  serviceActivation,
  serviceDelete,
  revisionActivation,
  revisionDelete,
] as const satisfies readonly RouteShape[];
export const approvedOperations = approvedRoutes.map(({ id }) => id);
const codesOf = (routes: readonly RouteShape[]): ErrorCode[] => [...new Set(routes.flatMap(({ codes }) => codes))];

const tag = 'Services';
const text = z.string({ error: 'Required' }).check(z.trim(), z.maxLength(1000, { error: 'ExceedsMaximumLength' }));
export const ServiceChangeRequest = z.object({
  /** Id of the route that would make the change: `serviceDeploy`. */
  operation: z.enum(approvedOperations, { error: 'InvalidValue' }),
  /** Path parameters of that route below the environment. */
  service: z.optional(z.string()),
  revision: z.optional(z.string()),
  /** Body of that route. */
  body: z.optional(z.unknown()),
  /** Why the change is needed. */
  comment: z.optional(text),
});
export type ServiceChangeRequest = z.output<typeof ServiceChangeRequest>;

export const serviceChangeRequest = route({
  id: 'serviceChangeRequest',
  method: 'POST',
  path: '/api/v1/apps/{app}/{env}/change-requests',
  summary: 'Ask a second person to approve a change of a production service',
  description:
    'Takes what the route of `operation` takes. The change is checked as in a dry run. Approval starts its pipeline if the plan is still the same; otherwise the request becomes void.',
  tag,
  access: 'appMember',
  body: ServiceChangeRequest,
  bodyLimitKilobytes: 1024,
  response: Request,
  status: 201,
  codes: [...new Set([...codesOf(approvedRoutes), 'ApprovalNotNeeded' as const, 'RequestAlreadyPending' as const])],
});

export const ServiceApproval = z.object({
  /** Whether changes of this service need the approval of a second person. */
  isRequired: z.boolean(),
  /** People who may approve a change of the caller, at most 20. Administrators may, too. */
  approvers: z.array(Who),
  /** Pending requests, oldest first. */
  requests: z.array(Request),
});
export type ServiceApproval = z.infer<typeof ServiceApproval>;
export const serviceApprovalView = route({
  id: 'serviceApprovalView',
  method: 'GET',
  path: '/api/v1/apps/{app}/{env}/services/{service}/approval',
  summary: 'Who approves changes of a service, and which changes wait for approval',
  tag,
  access: 'appMemberHidden',
  response: ServiceApproval,
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist'],
});
