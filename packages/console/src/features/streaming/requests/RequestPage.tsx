/** A request between teams: requester, reason, effect, and the answer of the team that owns the topic. */
import { classificationLabels } from '@slipway/contract/streaming/streaming.ts';
import { topicGrantView, type TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Waves } from 'lucide-react';
import { useParams } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { wholeLine } from '#kit/diff/text-lines.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { useEventsPlace } from '#features/streaming/use-place.ts';
import { AnswerPanel } from './AnswerPanel.tsx';
import { ReadFields } from './ReadFields.tsx';
import { RequestChecks } from './RequestChecks.tsx';
import { grantLook, grantSentence, operationVerb } from '#entities/streaming/grant-labels.ts';

export function Component() {
  const { request = '' } = useParams();
  const { place } = useEventsPlace();
  const query = useQuery(topicGrantView, place && { params: { grant: request } });
  const grant = query.data;
  const title = grant ? `${grant.account.applicationCode} ${grantSentence(grant)} ${grant.topic.name}` : 'Request';
  usePageTitle([title, place?.app, place?.env]);
  if (place === undefined) return <NotFound />;
  if (query.error && !grant) return <PageError what="request" query={query} />;
  return (
    <>
      <PageHeader
        typeLabel="Request"
        name={title}
        status={grant && <Badge tone={grantLook(grant).tone}>{grantLook(grant).word}</Badge>}
        isLoading={!grant}
        actions={
          grant && (
            <LinkButton
              href={paths.topic({ app: grant.topic.applicationCode, env: grant.environmentClass, topic: grant.topic.name })}
              icon={<Waves aria-hidden="true" />}
            >
              Topic
            </LinkButton>
          )
        }
      >
        {grant && <Details items={detailsOf(grant)} />}
      </PageHeader>
      <EntityBar
        env={place.env}
        hrefOf={(env) =>
          env === place.env ? paths.topicRequest({ ...place, request }) : paths.events({ app: place.app, env }, 'requests')
        }
      />
      <PageBody padding="flush" isTall>
        {grant && (
          <div className="split split-side">
            <div className="stack stack-24">
              <Why grant={grant} />
              <WhatChanges grant={grant} />
              <ReadFields grant={grant} />
            </div>
            <div className="stack stack-24">
              <AnswerPanel grant={grant} />
              <RequestChecks grant={grant} />
            </div>
          </div>
        )}
      </PageBody>
    </>
  );
}

const detailsOf = ({ requestedBy, requestedAt, account, topic }: TopicGrant): Detail[] => [
  { label: 'Asked by', value: `${requestedBy.displayName}, ${account.team.displayName}` },
  { label: 'Asked', value: <RelativeTime at={requestedAt} /> },
  { label: 'Account', value: <code>{account.user}</code>, copyText: account.user },
  { label: 'Who decides', value: `Members of ${topic.team.displayName}` },
  { label: 'Topic', value: `${topic.name}, ${classificationLabels[topic.classification]}` },
];

function Why({ grant: { reason, decision, decidedBy, decidedAt, state } }: { grant: TopicGrant }) {
  return (
    <Panel aria-labelledby="why">
      <PanelHead title="Why they need it" titleId="why" />
      <PanelBody className="stack stack-12">
        <p>{reason === null ? <span className="quiet">No reason was given.</span> : `“${reason}”`}</p>
        {decidedAt !== null && (
          <p className="quiet">
            {decidedBy?.displayName ?? 'A rule'}, <RelativeTime at={decidedAt} />: {state.toLowerCase()}
            {decision === null ? '.' : `. “${decision}”`}
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}

function WhatChanges({ grant: { account, topic, operation, state } }: { grant: TopicGrant }) {
  const kind = state === 'REQUESTED' ? 'add' : 'same';
  const verb = operationVerb[operation];
  const title = state === 'REQUESTED' ? 'What changes' : 'What it says';
  return (
    <Panel aria-labelledby="what-changes">
      <PanelHead title={title} titleId="what-changes" note="1 topic, 1 rule" />
      <DiffTable label={title} isFlush>
        <DiffSection title={`Topics of the account ${account.name}`}>
          <DiffLines lines={[wholeLine(kind, `${verb}s ${topic.topicName}`, false)]} />
        </DiffSection>
        <DiffSection title="Rules on the cluster">
          <DiffLines lines={[wholeLine(kind, `User:${account.user}  ${verb}  topic  ${topic.topicName}  exact`, false)]} />
        </DiffSection>
      </DiffTable>
    </Panel>
  );
}
