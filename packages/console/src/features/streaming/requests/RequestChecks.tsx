/** Checks for the approver: classification of the topic, the account's grant in development, and current users. */
import { classificationLabels, isMasked } from '@slipway/contract/streaming/streaming.ts';
import { topicGrantList, topicUsageView, type TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { operationVerb } from '#entities/streaming/grant-labels.ts';
import { useQuery } from '#kit/api/query.ts';
import { CheckList, type Check } from '#features/streaming/parts/CheckList.tsx';
import { LineList } from '#features/streaming/parts/LineList.tsx';
import { useReadFields } from './ReadFields.tsx';

const mostShown = 5;

/** True for members of the team that owns the topic. Others may not see the rest. */
const isOfOwner = ({ can }: TopicGrant): boolean => can['decide'] !== 'NotAMember';

export function RequestChecks({ grant }: { grant: TopicGrant }) {
  const secret = useSecretFields(grant);
  const tried = useTried(grant);
  return (
    <>
      <CheckList title="Checks" checks={[...checksOf(grant), ...secret, ...tried]} />
      {isOfOwner(grant) && <UsersToday grant={grant} />}
    </>
  );
}

const checksOf = ({ topic, operation, environmentClass }: TopicGrant): Check[] => [
  isMasked(topic.classification)
    ? {
        key: 'class',
        tone: 'warn',
        main: `Classification ${classificationLabels[topic.classification]}`,
        below: 'Its values are masked in this console, and readable in their client.',
      }
    : { key: 'class', tone: 'ok', main: `Classification ${classificationLabels[topic.classification]}` },
  { key: 'sharing', tone: topic.isSharable ? 'ok' : 'warn', main: topic.isSharable ? 'Sharing is on' : 'Sharing is off now' },
  ...(operation === 'WRITE'
    ? [{ key: 'write', tone: 'warn' as const, main: 'It will write', below: 'What it sends reaches everybody who reads the topic.' }]
    : []),
  ...(environmentClass === 'production'
    ? [{ key: 'env', tone: 'idle' as const, main: 'Production', below: 'Every request is decided by a person here.' }]
    : []),
];

/** Warns about fields whose classification is stricter than that of the topic. */
const useSecretFields = (grant: TopicGrant): Check[] => {
  const { data } = useReadFields(grant);
  if (!data || isMasked(grant.topic.classification)) return [];
  const masked = [...data.key, ...data.value].filter((field) => field.isMasked);
  if (masked.length === 0) return [];
  const names = masked.slice(0, mostShown).map(({ path }) => path);
  const more = masked.length > names.length ? ` and ${masked.length - names.length} more` : '';
  return [
    {
      key: 'fields',
      tone: 'warn',
      main: `${count(masked.length, 'field')} confidential or restricted`,
      below: `${names.join(', ')}${more}. Masked in this console, and readable in their client.`,
    },
  ];
};

/** For a production request: checks if the same account has the grant in development. */
const useTried = (grant: TopicGrant): Check[] => {
  const { topic, account, operation, environmentClass, state } = grant;
  const isAsked = environmentClass === 'production' && state === 'REQUESTED' && isOfOwner(grant);
  const { data } = useQuery(
    topicGrantList,
    isAsked && {
      params: { app: topic.applicationCode, env: 'development' },
      query: { side: 'received', state: 'APPROVED', topic: topic.name, account: account.name, size: 100 },
    },
  );
  if (!isAsked || !data) return [];
  const found = data.content.find((one) => one.operation === operation && one.account.applicationCode === account.applicationCode);
  if (!found) return [{ key: 'tried', tone: 'warn', main: `Does not ${operationVerb[operation]} it in development` }];
  const since = found.decidedAt ?? found.requestedAt;
  return [
    {
      key: 'tried',
      tone: 'ok',
      main: (
        <span>
          In development since <RelativeTime at={since} isShort />
        </span>
      ),
    },
  ];
};

function UsersToday({ grant: { topic, operation, environmentClass: env } }: { grant: TopicGrant }) {
  const place = { app: topic.applicationCode, env, topic: topic.name };
  const { data } = useQuery(topicUsageView, { params: place });
  const users = (data?.users ?? []).filter((user) => user.operation === operation);
  const verb = operationVerb[operation];
  if (!data) return null;
  return (
    <Panel aria-labelledby="users-today">
      <PanelHead title={`Who ${verb}s it today`} titleId="users-today" />
      <LineList
        items={[
          ...users.slice(0, mostShown).map(({ accountId, applicationCode, account, since }) => ({
            key: accountId,
            main: applicationCode,
            below: account,
            end: (
              <span className="meta">
                since <RelativeTime at={since} isShort />
              </span>
            ),
          })),
          {
            key: 'rest',
            main: (
              <span className="quiet">
                {users.length === 0
                  ? 'Nobody yet'
                  : users.length > mostShown
                    ? `${count(users.length - mostShown, 'more account')}`
                    : 'Nobody else'}
              </span>
            ),
            end: (
              <Link className="in" href={paths.topic(place, 'access')}>
                Who may use it
              </Link>
            ),
          },
        ]}
      />
    </Panel>
  );
}
