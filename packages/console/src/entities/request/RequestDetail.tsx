/** One request: facts, reason, differences, comments, and the form to decide it. */
import type { Request } from '@slipway/contract/request/request.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Count } from '@slipway/ui/layout/TabsNav.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { Kbd } from '@slipway/ui/text/Kbd.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { ChevronLeft } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { DecideForm } from './DecideForm.tsx';
import { RequestDiff } from './RequestDiff.tsx';
import css from './RequestDetail.module.css';
import { requestLook } from './request-labels.ts';

interface RequestDetailProps {
  request: Request;
  /** Id of the signed-in user. */
  me: string | undefined;
  back: { label: string; href: string };
  /** Facts of the kind, between differences and comments. */
  more?: ReactNode;
  /** Called with the request after a decision. */
  onDone: (request: Request) => void;
}

export function RequestDetail({ request, me, back, more, onDone }: RequestDetailProps) {
  const [read, setRead] = useState(request.revision);
  const isNew = request.status === 'PENDING' && request.revision !== read;
  const { comments, differences, isVoid } = request;
  return (
    <Panel aria-labelledby="request-title">
      <div className={css.head}>
        <Link className={css.back} href={back.href}>
          <ChevronLeft aria-hidden="true" />
          {back.label}
        </Link>
        <p className="meta strong">{request.kindLabel}</p>
        <div className={css.title}>
          <h2 id="request-title">{request.title}</h2>
          <span className="meta only-wide">
            <Kbd keys="J" /> <Kbd keys="K" /> next, previous
          </span>
        </div>
        <Details items={factsOf(request, me)} />
      </div>
      <div className={css.body}>
        {isNew && (
          <Notice
            tone="warn"
            isLive
            actions={
              <Button size="sm" onClick={() => setRead(request.revision)}>
                Read the new revision
              </Button>
            }
          >
            {request.requestedBy.displayName} changed this request. It has revision {request.revision} now.
          </Notice>
        )}
        {isVoid && (
          <Notice tone="warn">
            <strong>{request.voidReason}.</strong> Nobody decided this request, and it changed nothing.
          </Notice>
        )}
        {request.comment && <blockquote className={css.quote}>{request.comment}</blockquote>}
        {differences.length > 0 && (
          <section>
            <h3>{request.status === 'PENDING' ? 'What would change' : 'What was asked for'}</h3>
            <RequestDiff
              differences={differences}
              heads={request.status === 'PENDING' ? ['Now', 'If approved'] : ['When asked', 'Asked for']}
            />
          </section>
        )}
        {more}
        {request.actionedBy && !isVoid && <Outcome request={request} />}
        {comments.length > 0 && (
          <section>
            <h3>
              Comments <Count value={comments.length} />
            </h3>
            <ol className={css.thread}>
              {comments.map(({ by, at, text }) => (
                <li key={`${at} ${by.id}`}>
                  <Avatar name={by.displayName} />
                  <div className="dense">
                    <p>
                      <strong>{by.displayName}</strong>{' '}
                      <span className="meta">
                        <RelativeTime at={at} />
                      </span>
                    </p>
                    <p className={css.text}>{text}</p>
                  </div>
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
      <DecideForm request={request} isHeld={isNew} onDone={onDone} />
    </Panel>
  );
}

function Outcome({ request }: { request: Request }) {
  const { actionedBy, actionedAt, actionComment } = request;
  return (
    <section>
      <h3>
        {requestLook(request).word} by {actionedBy?.displayName}
        {actionedAt && (
          <span className="meta">
            {' '}
            <RelativeTime at={actionedAt} />
          </span>
        )}
      </h3>
      {actionComment && <p className={`dense ${css.text}`}>{actionComment}</p>}
    </section>
  );
}

const factsOf = (request: Request, me: string | undefined): Detail[] => {
  const { tone, word } = requestLook(request);
  const nameOf = ({ id, displayName }: Request['requestedBy']): string => (id === me ? 'you' : displayName);
  return [
    { label: `Request, revision ${request.revision}`, value: request.id, copyText: request.id },
    {
      label: 'State',
      value: (
        <Status tone={tone} isTinted={tone === 'warn'}>
          {word}
        </Status>
      ),
    },
    {
      label: 'Asked by',
      value: (
        <span className={css.by}>
          <Avatar name={request.requestedBy.displayName} />
          <span className="ell">
            {nameOf(request.requestedBy)}, <RelativeTime at={request.requestedAt} isShort />
          </span>
        </span>
      ),
    },
    ...(request.assignedTo.length > 0 ? [{ label: 'For', value: request.assignedTo.map(nameOf).join(', ') }] : []),
    ...(request.environmentClass ? [{ label: 'Environment', value: request.environmentClass }] : []),
    ...(request.subject.path ? [{ label: 'About', value: <Link href={request.subject.path}>Open</Link> }] : []),
  ];
};
