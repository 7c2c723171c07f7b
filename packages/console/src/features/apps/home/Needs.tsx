/** Lists what needs the user: failing services with their cause, secrets that expire, drift, and requests to decide. */
import { diagnosisSentence } from '@slipway/contract/service/diagnosis.ts';
import { needList, type Need } from '@slipway/contract/notification/need.ts';
import { requestList } from '@slipway/contract/request/request.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { hasKeysOff, isTyping } from '@slipway/ui/form/SearchInput.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Kbd } from '@slipway/ui/text/Kbd.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { useEffect, useRef, type ReactNode } from 'react';
import { useDiagnosis } from '#entities/diagnosis/use-diagnosis.ts';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import css from './HomePage.module.css';

/** Secrets and drift send no hint. */
const pollMs = 15_000;
const shownRequests = 5;
/** The cause is read for the first rows only: each one is a request every few seconds. */
const shownCauses = 5;
const toDecide = { query: { view: 'decide' as const, size: shownRequests } };

/** With `isHiddenWhenQuiet`, nothing is shown until something needs the user. */
export function Needs({ isHiddenWhenQuiet = false }: { isHiddenWhenQuiet?: boolean }) {
  const needs = useQuery(needList, {}, { pollMs, isAlwaysPolled: true });
  const requests = useQuery(requestList, toDecide);
  const listRef = useMoveByKey();
  const total = (needs.data?.total ?? 0) + (requests.data?.totalElements ?? 0);
  const isLoaded = needs.data !== undefined && (requests.data !== undefined || requests.error !== undefined);
  const failing = needs.data?.content.findIndex(({ type }) => type === 'service.failing');
  if (isHiddenWhenQuiet && total === 0) return null;
  return (
    <Panel aria-labelledby="needs">
      <PanelHead title="Needs you" titleId="needs" {...(total > 0 ? { note: `${total}, the most urgent first` } : {})} />
      {needs.error && !needs.data ? (
        <ListError what="list of what needs you" query={needs} />
      ) : (
        <Loading isLoading={!isLoaded} label="Loading what needs you" skeleton={<NeedSkeleton />}>
          {total === 0 && requests.error && !requests.data ? (
            <ListError what="list of open requests" query={requests} />
          ) : total === 0 ? (
            <p className={css.quiet}>
              <StatusIcon tone="ok" /> Nothing needs you. No failing service, expiring secret, drift or open request in your teams.
            </p>
          ) : (
            <ul className={css.needs} aria-labelledby="needs" ref={listRef}>
              {needs.data?.content.map((need, index) => (
                <NeedRow
                  key={`${need.type} ${need.path} ${need.name}`}
                  need={need}
                  isMain={index === failing}
                  hasCause={index < shownCauses}
                />
              ))}
              {requests.data?.content.map(({ id, title, comment, requestedBy, requestedAt }) => (
                <Row
                  key={id}
                  tone="warn"
                  href={paths.requests(id)}
                  title={title}
                  why={`${comment ? `“${comment}”, ` : ''}${requestedBy.displayName}`}
                  meta={`Request ${id}`}
                  when={<RelativeTime at={requestedAt} isShort />}
                  action={{ label: 'Decide', href: paths.requests(id) }}
                />
              ))}
            </ul>
          )}
        </Loading>
      )}
      {total > 0 && (
        <PanelFoot>
          <span>Items disappear when they are resolved.</span>
          <More needs={needs.data} requests={requests.data?.totalElements ?? 0} />
          <span className="push only-wide">
            <Kbd keys="J" /> <Kbd keys="K" /> next, previous
          </span>
        </PanelFoot>
      )}
    </Panel>
  );
}

/** Says what the list leaves out. */
function More({ needs, requests }: { needs: { content: Need[]; total: number } | undefined; requests: number }) {
  const left = (needs?.total ?? 0) - (needs?.content.length ?? 0);
  return (
    <>
      {left > 0 && <span>{left} more are not shown.</span>}
      {requests > shownRequests && <Link href={paths.requests()}>All {requests} requests</Link>}
    </>
  );
}

/** J and K move between the titles of the list. */
const useMoveByKey = () => {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => moveByKey(event, list.current);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return list;
};
const moveByKey = (event: KeyboardEvent, list: HTMLUListElement | null): void => {
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  if (step === undefined || !list || event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
  const hasOverlay = document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null;
  if (hasOverlay || isTyping(event.target) || hasKeysOff()) return;
  const titles = [...list.querySelectorAll<HTMLAnchorElement>(`.${css.title}`)];
  const current = titles.findIndex((title) => title.closest('li')?.contains(document.activeElement));
  titles[Math.min(titles.length - 1, Math.max(0, current + step))]?.focus();
  event.preventDefault();
};

interface RowProps {
  tone: Tone;
  href: string;
  title: string;
  why: ReactNode;
  meta: string;
  when?: ReactNode;
  action: { label: string; href: string };
  isMain?: boolean;
}

function Row({ tone, href, title, why, meta, when, action, isMain = false }: RowProps) {
  return (
    <li>
      <StatusIcon tone={tone} className={css.mark} />
      <div className={css.what}>
        <Link className={css.title} href={href}>
          {title}
        </Link>
        <p>{why}</p>
        <span className="meta">{meta}</span>
      </div>
      <span className={`meta ${css.when}`}>{when}</span>
      <LinkButton size="sm" href={action.href} aria-label={`${action.label}: ${title}`} {...(isMain ? { variant: 'primary' } : {})}>
        {action.label}
      </LinkButton>
    </li>
  );
}

const DAY_MS = 86_400_000;
/** Days from today to a date, negative for a past one. */
const daysTo = (day: string): number => Math.round((Date.parse(day) - Date.parse(new Date().toISOString().slice(0, 10))) / DAY_MS);
/** "in 6 days", "today", "3 days ago", for a date without a time. */
const daysUntil = (day: string): string => {
  const days = daysTo(day);
  if (days === 0) return 'today';
  const text = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`;
  return days > 0 ? `in ${text}` : `${text} ago`;
};

function NeedRow({ need, isMain, hasCause }: { need: Need; isMain: boolean; hasCause: boolean }) {
  const { type, app, env, name, detail, since, endsOn, path } = need;
  const place = `${app} · ${env === 'production' ? 'Production' : 'Development'}`;
  if (type === 'service.failing')
    return (
      <Row
        tone="bad"
        href={path}
        title={`${name} is failing`}
        why={<Why app={app} env={env} service={name} revision={detail} isShown={hasCause} />}
        meta={`${place} · ${detail}`}
        when={since && <RelativeTime at={since} isShort />}
        action={{ label: 'See why', href: path }}
        isMain={isMain}
      />
    );
  if (type === 'secret.expiring' && endsOn !== null) {
    const isOver = daysTo(endsOn) < 0;
    return (
      <Row
        tone={isOver ? 'bad' : 'warn'}
        href={path}
        title={`${name} ${isOver ? 'expired' : 'expires'} ${daysUntil(endsOn)}`}
        why={`Its last day ${isOver ? 'was' : 'is'} ${endsOn}. Add a version with a new value.`}
        meta={`${place} · Secret group ${detail}`}
        action={{ label: 'Open secret group', href: path }}
      />
    );
  }
  const kind = detail === 'schema' ? 'Schema' : 'Topic';
  return (
    <Row
      tone="warn"
      href={path}
      title={`${kind} ${name} was changed outside Slipway`}
      why={`Compare it with ${kind === 'Schema' ? 'the registry' : 'the cluster'}, then keep the change or put it back.`}
      meta={`${place} · ${kind}`}
      when={since && <RelativeTime at={since} isShort />}
      action={{ label: 'Compare', href: path }}
    />
  );
}

/** The cause of a failing service, in the words of its page. */
function Why({ isShown, ...ref }: { app: string; env: string; service: string; revision: string; isShown: boolean }) {
  const { diagnosis } = useDiagnosis(isShown ? ref : undefined);
  return diagnosis ? diagnosisSentence(diagnosis) : `Revision ${ref.revision} is not healthy.`;
}

function NeedSkeleton() {
  return (
    <div className={css.skeleton}>
      <Skeleton height={56} />
      <Skeleton height={56} />
      <Skeleton height={56} />
    </div>
  );
}
