/** Routes of approvals in production: asks for a change, and shows what waits for a service. */
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { serviceApprovalView, serviceChangeRequest, type ServiceChangeRequest } from '@slipway/contract/service/approval.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { productionChange } from '@slipway/contract/service/approval.ts';
import { idOf } from '#modules/requests/index.ts';
import type { CreationDeps } from '../create-service.ts';
import { requireService } from '../service-context.ts';
import { lockOf, type ServiceKey } from '../services.sql.ts';
import { keyOf, operationOf } from './operations.ts';
import { approvalOf, raiseChange, type Asked } from './production-changes.ts';

type Place = { readonly params: { readonly app: string; readonly env: string }; readonly environment: ServiceKey['environment'] };

/** Parses the body for the operation's route. Throws the errors of its fields, and Required for missing path parameters. */
const askedOf = ({ params, environment }: Place, wanted: ServiceChangeRequest): Asked => {
  const { operation, service, revision, body, comment } = wanted;
  const route = operationOf(operation)?.route;
  if (!route) throw new Problem('InvalidValue', { field: 'operation' });
  const names = { ...params, ...(service === undefined ? {} : { service }), ...(revision === undefined ? {} : { revision }) };
  for (const [, name = ''] of route.path.matchAll(/\{(\w+)\}/g))
    if (!Object.hasOwn(names, name)) throw new Problem('Required', { field: name, context: { label: name } });
  const parsed = route.body?.safeParse(body, { reportInput: true });
  if (parsed && !parsed.success) throw Problem.fields(fieldErrors(parsed.error));
  return { operation, change: { params: names, environment, body: parsed?.data }, comment };
};

export const approvalRoutes = (deps: CreationDeps): Handler[] => {
  const { db, requests } = deps;
  const view = (number: number, caller: Caller) => requests.view(db, idOf({ number }), caller);
  return [
    handle(
      serviceChangeRequest,
      async (c) => {
        const number = await raiseChange(deps, c.caller, askedOf(c, c.body));
        return view(number ?? 0, c.caller);
      },
      async (c) => {
        const { operation, change } = askedOf(c, c.body);
        const key = operationOf(operation)?.key(change);
        const row = await db
          .selectFrom('request')
          .select('number')
          .where('kind', '=', productionChange)
          .where('subject_id', '=', key ? lockOf(key) : '')
          .where('requested_by', '=', c.caller.id)
          .orderBy('number', 'desc')
          .executeTakeFirst();
        return view(row?.number ?? 0, c.caller);
      },
    ),
    handle(serviceApprovalView, async (c) => {
      await requireService(db, keyOf(c));
      return approvalOf(deps, c.caller, keyOf(c));
    }),
  ];
};
