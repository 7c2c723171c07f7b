/** Link to the inbox, with the number of requests that wait for the user. Hidden while none waits. */
import { requestCounts } from '@slipway/contract/request/request-counts.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Inbox } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import css from './RequestsLink.module.css';

const pollMs = 60_000;
const most = 99;

export function RequestsLink() {
  const { data } = useQuery(requestCounts, {}, { pollMs });
  if (!data || data.decide === 0) return null;
  return (
    <Link className={css.link} href={paths.requests()} aria-label={`${count(data.decide, 'request')} to decide`}>
      <Inbox aria-hidden="true" />
      <span className={css.number} aria-hidden="true">
        {data.decide > most ? `${most}+` : data.decide}
      </span>
    </Link>
  );
}
