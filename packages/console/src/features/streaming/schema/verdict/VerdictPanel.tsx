/** The verdict beside the editor, always in the same place: breaking changes, reasons, affected readers, and fixes if they are certain. */
import { compatibilityTexts, type SchemaType } from '@slipway/contract/streaming/schema.ts';
import type { SchemaAffected, SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { paths } from '#entities/paths.ts';
import { classNames } from '@slipway/ui/class-names.ts';
import { NameList, type NamedLink } from '#features/streaming/parts/NameList.tsx';
import { isStatus } from '#kit/api/errors.ts';
import { isEngineAway } from '#kit/api/query.ts';
import { errorSentence } from '#kit/error/describe-error.ts';
import { fixesOf } from './fixes.ts';
import type { Verdict } from './use-verdict.ts';
import { verdictLook } from './verdict-look.ts';
import css from './VerdictPanel.module.css';

export interface VerdictPanelProps {
  verdict: Verdict;
  type: SchemaType;
  isEmpty: boolean;
  onLine: (line: number) => void;
  /** Applies every fix. Undefined if the schema is read-only. */
  onFix?: (() => void) | undefined;
}

const against = ({ state, revisionId, level }: SchemaVerdict): string | undefined =>
  state === 'INCOMPATIBLE' || state === 'COMPATIBLE'
    ? `against version ${revisionId ?? '–'}, ${compatibilityTexts[level].label}`
    : undefined;

/** The page's notice names the unreachable registry; this text explains the effect on the draft. */
const later = 'It is checked once the registry answers, and by the pipeline before anything is registered.';
/** A rejection explains the problem with the draft, such as a missing reference. */
const whyNotAsked = (error: unknown): string => {
  if (isStatus(error, 400)) return `${errorSentence(error)}.`.replace('..', '.');
  return isEngineAway(error) ? later : 'The server could not be asked. The next change of the draft asks again.';
};

export function VerdictPanel(props: VerdictPanelProps) {
  const { verdict, type, isEmpty } = props;
  const { answer, isChecking, error } = verdict;
  const shown = answer && !isEmpty ? answer.verdict : undefined;
  const { tone, title } = shown
    ? verdictLook(shown, type)
    : { tone: 'idle' as const, title: isEmpty ? 'Nothing to check yet' : 'Checking' };
  return (
    <Panel aria-labelledby="verdict" className={css.verdict}>
      <PanelHead
        titleId="verdict"
        title={error ? <Status tone="idle">Not checked</Status> : <Status tone={tone}>{title}</Status>}
        note={isChecking ? 'Checking…' : shown && against(shown)}
      />
      <div aria-live="polite" className={classNames(isChecking && css.old)}>
        {error ? (
          <PanelBody>
            <p className="dense">{whyNotAsked(error)} Your draft is kept.</p>
          </PanelBody>
        ) : (
          shown && <Findings {...props} shown={shown} />
        )}
      </div>
    </Panel>
  );
}

interface Finding {
  key: string;
  title?: string;
  message: string;
  line: number | null;
  path: string;
}

function Findings({ shown, onLine, onFix }: VerdictPanelProps & { shown: SchemaVerdict }) {
  const findings: Finding[] = [
    ...shown.problems.map(({ message, line, path }) => ({ key: `${line} ${path} ${message}`, message, line, path })),
    ...shown.issues.map(({ title, message, line, path, subject }) => ({
      key: `${subject} ${path} ${message}`,
      title,
      message,
      line,
      path,
    })),
  ];
  const fixes = fixesOf(shown);
  return (
    <>
      {findings.length > 0 && (
        <ul className={css.findings}>
          {findings.map(({ key, title, message, line, path }) => (
            <li key={key}>
              <StatusIcon tone="bad" className={css.mark} />
              <div>
                {title !== undefined && <p className="strong">{title}</p>}
                <p className={title === undefined ? undefined : 'quiet'}>{message}</p>
                <p className="meta">
                  {line !== null && (
                    <button type="button" className={css.line} onClick={() => onLine(line)}>
                      Line {line}
                    </button>
                  )}
                  {line !== null && path !== '' && ' · '}
                  <code>{path}</code>
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {shown.state === 'NOT_CHECKED' && shown.reason === 'LEVEL_NONE' && (
        <PanelBody>
          <p className="dense">At the level None nothing is checked: a change may stop those who read the messages.</p>
        </PanelBody>
      )}
      {shown.state === 'NOT_CHECKED' && shown.reason === 'REGISTRY_UNAVAILABLE' && (
        <PanelBody>
          <p className="dense">{later} Your draft is kept.</p>
        </PanelBody>
      )}
      <Affected affected={shown.affected} />
      {fixes.length > 0 && onFix && (
        <PanelBody className={css.fix}>
          <Button variant="primary" onClick={onFix}>
            {fixes.length === 1 ? 'Fix it' : fixes.length === 2 ? 'Fix both' : `Fix all ${fixes.length}`}
          </Button>
          <p className="meta">{fixes.map(({ label }) => `${label}.`).join(' ')}</p>
        </PanelBody>
      )}
    </>
  );
}

const nameOf = ({ topic, applicationCode, environmentClass }: SchemaAffected['topics'][number]): NamedLink => ({
  name: topic,
  href: paths.topic({ app: applicationCode, env: environmentClass, topic }),
});

function Affected({ affected: { topics, accounts } }: { affected: SchemaAffected }) {
  if (topics.length === 0) return null;
  const apps = [...new Set(accounts.filter(({ operation }) => operation === 'READ').map(({ applicationCode }) => applicationCode))];
  return (
    <PanelBody className={css.affected}>
      <h3 className="meta strong">Who is affected</h3>
      <p className="dense">
        {apps.length === 0 ? 'Nobody reads ' : `${count(apps.length, 'reader')} of `}
        <NameList isInText names={[...new Map(topics.map((topic) => [topic.topicId, nameOf(topic)])).values()]} />
        {apps.length > 0 && `: ${apps.join(', ')}.`}
      </p>
    </PanelBody>
  );
}
