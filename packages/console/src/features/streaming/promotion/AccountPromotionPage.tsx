/** Promotes an account from development to production: its topics there, teams that receive requests, and where the new password goes. */
import { accountGroupName } from '@slipway/contract/streaming/account.ts';
import { accountPromote, accountPromotionView, type AccountPromotion, type PromotedTopic } from '@slipway/contract/streaming/promotion.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { RadioCards } from '@slipway/ui/form/RadioCards.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { useState } from 'react';
import { useParams } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import type { Check } from '#features/streaming/parts/CheckList.tsx';
import { operationVerb } from '#entities/streaming/grant-labels.ts';
import { useEventsPlace, type EventsPlace } from '#features/streaming/use-place.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { PromotionFrame } from './PromotionFrame.tsx';
import { usePromotion } from './use-promotion.ts';

type Kept = 'group' | 'once';

export function Component() {
  const { account = '' } = useParams();
  const { at, place } = useEventsPlace();
  const [reason, setReason] = useState('');
  const [kept, setKept] = useState<Kept>('group');
  const query = useQuery(accountPromotionView, at.isMember === true && place !== undefined && { params: { ...place, account } });
  const { data: view } = query;
  const write = useWrite(accountPromote);
  const group = accountGroupName(at.app, account);
  const body = {
    ...(view ? { mark: view.mark } : {}),
    ...(view?.isNew && kept === 'group' ? { secretGroup: group } : {}),
    ...(reason.trim() === '' ? {} : { reason }),
  };
  const there = { app: at.app, env: 'production', account };
  const promotion = usePromotion({
    steps: [{ name: account, start: () => write.send({ params: { app: at.app, env: 'development', account }, body }) }],
    href: paths.account(there),
    hints: [{ kind: 'account', app: at.app }],
  });
  if (place === undefined) return <NotFound />;
  if (at.isMember === false)
    return (
      <PageBody>
        <MembersOnly label="Accounts">{at.noRight}</MembersOnly>
      </PageBody>
    );
  if (query.error && !view) return <PageError what={`promotion of the account ${account}`} query={query} />;
  const asked = view?.topics.filter(({ state }) => state === 'ASKED') ?? [];
  return (
    <PromotionFrame
      place={place}
      label="Account"
      name={account}
      href={paths.account({ ...place, account })}
      hrefThere={paths.account(there)}
      list="accounts"
      view={view}
      checks={view ? checksOf(view) : []}
      promotion={promotion}
      reason={view && stopOf(view)}
      footNote={asked.length > 0 ? 'It works at once with its other topics, and with these once they are approved.' : undefined}
      form={
        <>
          {view?.isNew && <PasswordPlace kept={kept} group={group} onChange={setKept} />}
          {asked.length > 0 && (
            <Field label="Why it needs these topics" hint="The teams that decide read it.">
              <Textarea rows={3} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
            </Field>
          )}
        </>
      }
    >
      <Topics place={place} query={query} />
    </PromotionFrame>
  );
}

function PasswordPlace({ kept, group, onChange }: { kept: Kept; group: string; onChange: (kept: Kept) => void }) {
  return (
    <RadioCards
      legend="Its password in production"
      options={[
        { value: 'group', label: 'Into a secret group', note: `${group}, made in production. Nobody has to see it.` },
        { value: 'once', label: 'Show it once', note: 'To you, on its page.' },
      ]}
      value={kept}
      onChange={onChange}
    />
  );
}

/** Returns why the server would reject the promotion. */
const stopOf = ({ topics }: AccountPromotion): string | undefined => {
  const missing = topics.filter(({ state }) => state === 'MISSING').map(({ name }) => name);
  if (missing.length > 0) return `Promote first, or remove from the account: ${missing.join(', ')}.`;
  const closed = topics.filter(({ state }) => state === 'NOT_SHARED').map(({ name }) => name);
  return closed.length > 0 ? `Not shared with other teams in production: ${closed.join(', ')}.` : undefined;
};

const checksOf = ({ isNew, secretGroup, topics }: AccountPromotion): Check[] => {
  const teams = [...new Set(topics.filter(({ state }) => state === 'ASKED').map(({ team }) => team?.displayName ?? ''))];
  const missing = topics.filter(({ state }) => state === 'MISSING');
  return [
    missing.length === 0
      ? { key: 'topics', tone: 'ok', main: 'Its topics are in production' }
      : { key: 'topics', tone: 'bad', main: `${count(missing.length, 'topic')} not in production` },
    teams.length === 0
      ? { key: 'who', tone: 'ok', main: 'Nobody else is asked' }
      : { key: 'who', tone: 'warn', main: `Asks ${teams.join(', ')}`, below: 'A member of the team that owns a topic decides on it.' },
    isNew
      ? {
          key: 'password',
          tone: 'idle',
          main: 'It gets a password of its own',
          below: 'Passwords are never carried from one environment to another.',
        }
      : {
          key: 'password',
          tone: 'ok',
          main: 'Its password stays',
          ...(secretGroup === null ? {} : { below: `In the secret group ${secretGroup}.` }),
        },
  ];
};

const looks: Readonly<Record<PromotedTopic['state'], (team: string) => { tone: Tone; word: string }>> = {
  MISSING: () => ({ tone: 'bad', word: 'Not in production' }),
  NOT_SHARED: (team) => ({ tone: 'bad', word: `Not shared by ${team}` }),
  LISTED: () => ({ tone: 'ok', word: 'Listed already' }),
  FREE: () => ({ tone: 'ok', word: 'Own topic, at once' }),
  ASKED: (team) => ({ tone: 'warn', word: `${team} decides` }),
};

const columnsOf = (place: EventsPlace): Column<PromotedTopic>[] => [
  {
    key: 'topic',
    header: 'Topic',
    phone: 'title',
    cell: ({ name, applicationCode }) => (
      <Link className={cellMain} href={paths.topic({ app: applicationCode, env: 'development', topic: name })}>
        {name}
      </Link>
    ),
  },
  {
    key: 'owner',
    header: 'Owner',
    phone: 'meta',
    cell: ({ applicationCode }) => <span className="quiet">{applicationCode === place.app ? 'this app' : applicationCode}</span>,
  },
  { key: 'operation', header: 'It', phone: 'meta', cell: ({ operation }) => `${operationVerb[operation]}s` },
  {
    key: 'state',
    header: 'In production',
    phone: 'status',
    cell: ({ state, team }) => {
      const { tone, word } = looks[state](team?.displayName ?? 'its team');
      return <Status tone={tone}>{word}</Status>;
    },
  },
  {
    ...rowActions,
    phone: 'action',
    cell: ({ state, name, applicationCode }) =>
      state === 'MISSING' && applicationCode === place.app ? (
        <Link href={paths.promotion({ ...place, kind: 'topics', name })}>
          Promote<span className="sr"> {name}</span>
        </Link>
      ) : null,
  },
];

function Topics({ place, query }: { place: EventsPlace; query: QueryResult<typeof accountPromotionView> }) {
  return (
    <ListPanel
      label="Its topics in production"
      plural="topics"
      list={query}
      head={{ title: 'Its topics in production' }}
      columns={columnsOf(place)}
      rows={query.data?.topics ?? []}
      rowKey={({ operation, applicationCode, name }) => `${operation} ${applicationCode}.${name}`}
      empty={null}
    />
  );
}
