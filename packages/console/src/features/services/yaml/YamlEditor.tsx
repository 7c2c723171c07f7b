/** A text area with line numbers. Marks lines with errors, and accepts dropped files. */
import { classNames } from '@slipway/ui/class-names.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { useState, type DragEvent, type Ref } from 'react';
import css from './YamlEditor.module.css';

export interface YamlEditorProps {
  ref: Ref<HTMLTextAreaElement>;
  label: string;
  value: string;
  onChange: (text: string) => void;
  onSubmit: () => void;
  onFile: (file: File) => void;
  isReadOnly: boolean;
  /** Line numbers with an error, from 1. */
  marked: ReadonlySet<number>;
  /** Id of the element that lists the errors. */
  describedBy?: string | undefined;
}

/** Accepts only files. The browser handles dragged text itself. */
const fileOf = ({ dataTransfer }: DragEvent): File | undefined => dataTransfer.files[0];
const carriesFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

export function YamlEditor(props: YamlEditorProps) {
  const { ref, label, value, onChange, onSubmit, onFile, isReadOnly, marked, describedBy } = props;
  const [isOver, setOver] = useState(false);
  const lines = value.split('\n').length;
  return (
    <div
      className={classNames(css.editor, isOver && css.over)}
      onDragOver={(event) => {
        if (isReadOnly || !carriesFile(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const file = isReadOnly ? undefined : fileOf(event);
        if (!file) return;
        event.preventDefault();
        onFile(file);
      }}
    >
      <ol className={css.gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => (
          <li key={index} data-marked={marked.has(index + 1) || undefined}>
            {marked.has(index + 1) && <StatusIcon tone="bad" />}
            {index + 1}
          </li>
        ))}
      </ol>
      <textarea
        ref={ref}
        className={css.text}
        aria-label={label}
        aria-invalid={marked.size > 0 || undefined}
        aria-describedby={describedBy}
        rows={lines}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        readOnly={isReadOnly}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          onSubmit();
        }}
      />
    </div>
  );
}
