/** The list of the inbox: rows in groups, with checkboxes for a decision on several. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { Request, RequestView } from '@slipway/contract/request/request.ts';
import { classNames } from '@slipway/ui/class-names.ts';
import { Count } from '@slipway/ui/layout/TabsNav.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import css from './RequestInbox.module.css';
import { groupsOf, rowState } from './request-labels.ts';

interface RequestListProps {
  page: Page<Request>;
  view: RequestView;
  /** Id of the open request. */
  current: string | undefined;
  hrefOf: (id: string) => string;
  chosen: ReadonlySet<string>;
  onChoose: (id: string) => void;
}

export function RequestList({ page, view, current, hrefOf, chosen, onChoose }: RequestListProps) {
  return groupsOf(page.content, view).map(({ title, requests }) => (
    <section key={title} aria-label={title}>
      <h2 className={css.group}>
        {title} <Count value={requests.length} />
      </h2>
      <ul className={css.rows}>
        {requests.map((request) => (
          <li key={request.id} className={classNames(css.row, request.id === current && css.current)}>
            {view === 'decide' && request.can['decide'] === true && (
              <input
                type="checkbox"
                className={css.check}
                aria-label={`Select ${request.title}`}
                checked={chosen.has(request.id)}
                onChange={() => onChoose(request.id)}
              />
            )}
            <Link href={hrefOf(request.id)} aria-current={request.id === current ? 'true' : undefined} data-request={request.id}>
              <RequestRow request={request} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ));
}

function RequestRow({ request }: { request: Request }) {
  const { tone, word } = rowState(request);
  return (
    <>
      <span className={css.title}>{request.title}</span>
      <span className={classNames(css.state, (tone === 'warn' || tone === 'bad') && `tone-${tone}`)}>{word}</span>
      <span className={css.note}>
        {request.kindLabel} · {request.requestedBy.displayName}, <RelativeTime at={request.requestedAt} isShort />
        {request.environmentClass && ` · ${request.environmentClass}`}
      </span>
    </>
  );
}
