/** The draft of the next version: editor with verdict, diff to the newest version, and saving with a compatibility level. */
import { compatibilityLevels, compatibilityTexts, type CompatibilityLevel, type Schema } from '@slipway/contract/streaming/schema.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Savebar, type SavebarProps } from '@slipway/ui/form/Savebar.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { CodeEditor } from '#kit/code/CodeEditor.tsx';
import type { CodeEditorHandle } from '#kit/code/code-editor-props.ts';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { textLines } from '#kit/diff/text-lines.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import { applyFixes, fixesOf } from './verdict/fixes.ts';
import { Outdated, outdatedId } from './Outdated.tsx';
import { ReferencesField } from './ReferencesField.tsx';
import { formatted } from './schema-samples.ts';
import { namedUses } from './schema-uses.ts';
import { useSchemaDraft, type SchemaDraft } from './use-schema-draft.ts';
import { codeIssues, useVerdict, type Verdict } from './verdict/use-verdict.ts';
import { VerdictPanel } from './verdict/VerdictPanel.tsx';

export interface SchemaEditorProps {
  place: SchemaPlace;
  schema: Schema;
  team: string;
}

const useSaveKey = (save: () => void): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    save();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

export function SchemaEditor({ place, schema, team }: SchemaEditorProps) {
  const draft = useSchemaDraft(place, schema);
  const { content, compatibility, uses, base, setContent, isContentChanged, changes } = draft;
  const verdict = useVerdict(place, schema.name, {
    content,
    compatibility,
    type: schema.type,
    uses: namedUses(uses),
    newest: schema.revisionId,
  });
  const issues = useMemo(() => codeIssues(verdict), [verdict]);
  const editor = useRef<CodeEditorHandle>(null);
  const [view, setView] = useState<'edit' | 'changes'>('edit');
  const reason = reasonOf(schema.can, 'update', { team });
  const firstLine = issues[0]?.line;
  const showLine = (line: number): void => {
    setView('edit');
    editor.current?.showLine(line);
  };
  // Save stays enabled and leads to the breaking changes instead.
  const save = (): void => {
    if (reason !== undefined || changes.length === 0) return;
    if (draft.isOutdated) document.getElementById(outdatedId)?.focus();
    else if (firstLine === undefined) void draft.save();
    else showLine(firstLine);
  };
  useSaveKey(save);
  const fix = (): void => {
    const { answer } = verdict;
    if (answer && answer.content === content) setContent(applyFixes(content, fixesOf(answer.verdict)));
  };
  return (
    <>
      {reason !== undefined && <Notice tone="idle">{reason}</Notice>}
      {draft.isOutdated && <Outdated draft={draft} schema={schema} />}
      <div className="split split-side">
        <Panel aria-labelledby="schema-editor">
          <PanelHead
            title={`Version ${isContentChanged ? base.revisionId + 1 : base.revisionId}`}
            titleId="schema-editor"
            note={isContentChanged ? `Draft, from version ${base.revisionId}` : 'Newest'}
          >
            {schema.type !== 'PROTOBUF' && reason === undefined && (
              <Button size="sm" variant="quiet" onClick={() => setContent(formatted(schema.type, content))}>
                Format
              </Button>
            )}
            <Segmented
              label="View"
              options={[
                { value: 'edit', label: 'Edit' },
                { value: 'changes', label: 'Changes' },
              ]}
              value={view}
              onChange={setView}
            />
          </PanelHead>
          <div hidden={view === 'changes'}>
            <CodeEditor
              ref={editor}
              label={`Schema content, version ${base.revisionId + 1}`}
              value={content}
              onChange={setContent}
              language={schema.type === 'PROTOBUF' ? 'protobuf' : 'json'}
              issues={issues}
              isReadOnly={reason !== undefined}
              rows={16}
              isFlush
            />
          </div>
          {view === 'changes' && <Changes before={schema.content} after={content} />}
        </Panel>
        <VerdictPanel
          verdict={verdict}
          type={schema.type}
          isEmpty={content.trim() === ''}
          onLine={showLine}
          {...(reason === undefined ? { onFix: fix } : {})}
        />
      </div>
      <div className="split split-side">
        <Panel aria-labelledby="references">
          <PanelHead title="References" titleId="references" note="Schemas of this app that the content builds on" />
          <PanelBody>
            <ReferencesField
              place={place}
              type={schema.type}
              own={schema.name}
              uses={uses}
              onChange={draft.setUses}
              isReadOnly={reason !== undefined}
            />
          </PanelBody>
        </Panel>
        <LevelPanel value={compatibility} onChange={draft.setCompatibility} isReadOnly={reason !== undefined} />
      </div>
      <UnsavedGuard isDirty={changes.length > 0} description="The draft of the schema will be lost." />
      <Bar draft={draft} verdict={verdict} reason={reason} breaks={issues.length} onSave={save} />
    </>
  );
}

const saveLabel = ({ isContentChanged, isOutdated, base, changes }: SchemaDraft): string => {
  // The version number is unknown until the conflict is resolved.
  if (isOutdated) return 'Save';
  return isContentChanged || changes.includes('References') ? `Save version ${base.revisionId + 1}` : 'Save level';
};

const errorOf = ({ isOutdated }: SchemaDraft, breaks: number, onSelect: () => void): Pick<SavebarProps, 'error'> => {
  if (isOutdated) return { error: { label: 'Another version was saved', href: `#${outdatedId}`, onSelect } };
  if (breaks === 0) return {};
  return { error: { label: breaks === 1 ? '1 breaks readers' : `${breaks} break readers`, href: '#schema-editor', onSelect } };
};

function Bar(props: { draft: SchemaDraft; verdict: Verdict; reason: string | undefined; breaks: number; onSave: () => void }) {
  const { draft, verdict, reason, breaks, onSave } = props;
  const isUnknown = verdict.answer?.verdict.reason === 'REGISTRY_UNAVAILABLE';
  const isSound = breaks === 0 && !isUnknown && !verdict.isChecking && !verdict.error && !draft.isOutdated;
  return (
    <Savebar
      count={draft.changes.length}
      summary={draft.changes.join(', ')}
      {...errorOf(draft, breaks, onSave)}
      actions={
        <>
          <Button variant="quiet" onClick={draft.discard}>
            Discard changes
          </Button>
          <Button
            variant={isSound ? 'primary' : 'default'}
            isBusy={draft.isBusy}
            busyLabel="Saving"
            disabledReason={reason}
            onClick={onSave}
          >
            {saveLabel(draft)}
          </Button>
        </>
      }
    />
  );
}

function Changes({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => textLines(before.trimEnd(), after.trimEnd()), [before, after]);
  if (before.trimEnd() === after.trimEnd()) {
    return (
      <PanelBody>
        <p className="dense quiet">Nothing changed.</p>
      </PanelBody>
    );
  }
  return (
    <DiffTable label="Changes" isFlush>
      <DiffSection>
        <DiffLines lines={lines} />
      </DiffSection>
    </DiffTable>
  );
}

function LevelPanel(props: { value: CompatibilityLevel; onChange: (level: CompatibilityLevel) => void; isReadOnly: boolean }) {
  const { value, onChange, isReadOnly } = props;
  return (
    <Panel aria-labelledby="level">
      <PanelHead title="Compatibility level" titleId="level" />
      <PanelBody className="stack stack-8">
        <div>
          <Select
            aria-label="Compatibility level"
            options={compatibilityLevels.map((level) => ({ value: level, label: compatibilityTexts[level].label }))}
            value={value}
            onChange={onChange}
            isReadOnly={isReadOnly}
          />
        </div>
        <p className="meta">{compatibilityTexts[value].text}</p>
      </PanelBody>
    </Panel>
  );
}
