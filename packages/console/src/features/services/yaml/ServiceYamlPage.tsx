/** The settings of a service as a file: view, store in version control, and change, with a diff first. */
import { settingsFieldOf } from '@slipway/contract/service/service-settings.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { PageError } from '#entities/PageError.tsx';
import { ListError } from '#kit/list/ListError.tsx';
import { messageFor, reasonOf } from '#kit/error/messages.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { pipelinePath, type ServiceRef } from '#entities/paths.ts';
import { ConfirmChanges } from '#entities/plan/ConfirmChanges.tsx';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { useService } from '#features/services/use-service.ts';
import { useServiceYaml, type ServiceYaml } from './use-service-yaml.ts';
import { readYamlFile } from './read-yaml-file.ts';
import { YamlEditor } from './YamlEditor.tsx';
import { FileTools } from './FileTools.tsx';
import { FromTheTerminal } from './FromTheTerminal.tsx';
import { lineRange, type LineError } from './yaml-lines.ts';

export function Component() {
  const { place, query, noRight } = useService();
  usePageTitle(['service.yaml', place?.service ?? '', place?.app ?? '', place?.env ?? '']);
  if (place === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`service ${place.service}`} query={query} />;
  return (
    <>
      <PageHeader
        isList
        hasSkip={false}
        typeLabel="Service"
        name={`${place.service} as a file`}
        lede={`The settings in ${place.env}. Change them here or bring a file: the difference is shown before anything is applied.`}
      />
      <PageBody>
        {noRight === undefined ? (
          <YamlScreen key={`${place.env}/${place.service}`} place={place} service={query.data} />
        ) : (
          <Panel aria-label="service.yaml">
            <EmptyState level={2} kind="no-right" title="Settings are for members of the team">
              {noRight}
            </EmptyState>
          </Panel>
        )}
      </PageBody>
    </>
  );
}

type Place = NonNullable<ReturnType<typeof useService>['place']>;

function YamlScreen({ place, service }: { place: Place; service: Service | undefined }) {
  const file = useServiceYaml(place, service !== undefined);
  const navigate = useNavigate();
  const isApplied = useRef(false);
  const apply = async (): Promise<void> => {
    const run = await file.apply();
    isApplied.current = true;
    toast.success(`The settings of ${place.service} are being applied`);
    await navigate(pipelinePath(run));
  };
  return (
    <>
      <div className="stack stack-24">
        <EditorPanel place={place} file={file} reason={reasonOf(service?.can, 'update')} />
        <FromTheTerminal place={place} />
      </div>
      <UnsavedGuard isDirty={file.isEdited} isReleased={() => isApplied.current} />
      {file.plan && (
        <ConfirmChanges
          plan={file.plan}
          title={file.plan.changes.length === 1 ? 'Review 1 change' : `Review ${file.plan.changes.length} changes`}
          subject={place.service}
          environment={place.env}
          confirmLabel={`Apply to ${place.env}`}
          onConfirm={apply}
          onClose={file.dismiss}
        />
      )}
    </>
  );
}

function EditorPanel({ place, file, reason }: { place: ServiceRef; file: ServiceYaml; reason: string | undefined }) {
  const editor = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string>();
  const errorsId = useId();
  const titleId = useId();
  const take = async (chosen: File): Promise<void> => {
    const read = await readYamlFile(chosen);
    setProblem(read.problem);
    if (read.text !== undefined) file.edit(read.text);
  };
  if (file.loadError && file.current === undefined) {
    return (
      <Panel aria-label="service.yaml">
        <ListError what="settings" query={{ error: file.loadError, attempt: 0, mutate: file.reload }} />
      </Panel>
    );
  }
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead title={<code>service.yaml</code>} titleId={titleId} {...(file.isEdited ? { note: 'edited' } : {})}>
        <FileTools place={place} text={file.text} onFile={(chosen) => void take(chosen)} isReadOnly={reason !== undefined} />
      </PanelHead>
      <Remarks file={file} problem={problem} errorsId={errorsId} onLine={(line) => select(editor.current, file.text, line)} />
      {file.current === undefined ? (
        <PanelBody aria-busy="true">
          <Skeleton height={400} />
        </PanelBody>
      ) : (
        <YamlEditor
          ref={editor}
          label="service.yaml"
          value={file.text}
          onChange={file.edit}
          onSubmit={() => void file.review()}
          onFile={(chosen) => void take(chosen)}
          isReadOnly={reason !== undefined}
          marked={new Set(file.errors.flatMap(({ line }) => line ?? []))}
          describedBy={file.errors.length > 0 ? errorsId : undefined}
        />
      )}
      <PanelFoot className="row row-wrap">
        <span className="meta">Fields that the file leaves out stay as they are. Drop a file anywhere on the text.</span>
        <span className="row push">
          {file.isEdited && (
            <Button variant="quiet" onClick={file.revert}>
              Discard
            </Button>
          )}
          <Button
            variant="primary"
            isBusy={file.isBusy}
            busyLabel="Looking"
            onClick={() => void file.review()}
            {...(reason === undefined ? {} : { disabledReason: reason })}
          >
            Review
          </Button>
        </span>
      </PanelFoot>
    </Panel>
  );
}

/** Selects the line and scrolls it into view. */
const select = (editor: HTMLTextAreaElement | null, text: string, line: number): void => {
  if (!editor) return;
  editor.focus({ preventScroll: true });
  editor.setSelectionRange(...lineRange(text, line));
  const height = editor.scrollHeight / Math.max(1, text.split('\n').length);
  editor.parentElement?.scrollTo({ top: Math.max(0, (line - 4) * height) });
  editor.scrollIntoView({ block: 'nearest' });
};

interface RemarksProps {
  file: ServiceYaml;
  problem: string | undefined;
  errorsId: string;
  onLine: (line: number) => void;
}

function Remarks({ file, problem, errorsId, onLine }: RemarksProps) {
  const element = useRef<HTMLDivElement>(null);
  // The button is below a long text, but the errors are above it.
  useEffect(() => {
    if (file.errors.length > 0) element.current?.focus();
  }, [file.errors]);
  if (problem === undefined && file.errors.length === 0 && !file.isOutdated) return null;
  return (
    <PanelBody ref={element} tabIndex={-1} className="stack stack-8">
      {problem !== undefined && (
        <Notice tone="bad" isLive>
          {problem}
        </Notice>
      )}
      {file.isOutdated && (
        <Notice
          tone="warn"
          isLive
          actions={
            <Button size="sm" onClick={file.revert}>
              Start from the new ones
            </Button>
          }
        >
          The settings were changed meanwhile. Review shows what your text would change of them.
        </Notice>
      )}
      {file.errors.length > 0 && (
        <Notice tone={file.errors.every(({ error }) => error.code === 'NothingChanged') ? 'idle' : 'bad'} isLive>
          <ul id={errorsId} className="stack stack-4">
            {file.errors.map((item, index) => (
              <li key={index}>
                <ErrorLine item={item} onLine={onLine} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </PanelBody>
  );
}

function ErrorLine({ item: { line, error }, onLine }: { item: LineError; onLine: (line: number) => void }) {
  const label = settingsFieldOf(error.field ?? '')?.label;
  const text = messageFor(error.code, { ...error.context, ...(label === undefined ? {} : { label }) });
  const words = text.startsWith('Line ') || line === undefined ? text : `Line ${line}: ${text}`;
  if (line === undefined) return words;
  return (
    <>
      {words}{' '}
      <Button size="sm" variant="quiet" onClick={() => onLine(line)}>
        Go to line {line}
      </Button>
    </>
  );
}
