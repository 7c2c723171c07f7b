/** Error page if a page's main query failed: 404, no permission, or not reachable. */
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { isStatus } from '#kit/api/errors.ts';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { NotFound } from './NotFound.tsx';

export function PageError({ what, query }: { what: string; query: FailedQuery }) {
  if (isStatus(query.error, 404)) return <NotFound />;
  return (
    <PageBody>
      <Panel aria-label={what}>
        <ListError what={what} query={query} />
      </Panel>
    </PageBody>
  );
}
