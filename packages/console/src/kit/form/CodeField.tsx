/** The code editor bound to a form. */
import { Field } from '@slipway/ui/form/Field.tsx';
import { useController, type FieldValues } from 'react-hook-form';
import { CodeEditor } from '#kit/code/CodeEditor.tsx';
import type { CodeEditorHandle, CodeEditorProps } from '#kit/code/code-editor-props.ts';
import css from './CodeField.module.css';
import type { BoundField } from './TextField.tsx';

type CodeFieldProps<Values extends FieldValues> = BoundField<Values> &
  Pick<CodeEditorProps, 'language' | 'issues' | 'rows' | 'isReadOnly'> & {
    /** Gets the editor's handle, for links to a line. */
    onHandle?: (handle: CodeEditorHandle | null) => void;
  };

export function CodeField<Values extends FieldValues>({ form, name, hint, labelNote, onHandle, ...editor }: CodeFieldProps<Values>) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  return (
    <Field label={form.labels[name]} labelNote={labelNote} hint={hint} error={fieldState.error?.message} className={css.wide} isGroup>
      <CodeEditor
        {...editor}
        ref={(element) => {
          ref(element);
          onHandle?.(element);
        }}
        label={form.labels[name] ?? ''}
        value={value ?? ''}
        onChange={onChange}
        onBlur={onBlur}
      />
    </Field>
  );
}
