/** The code editor bound to a form. */
import { Field } from '@slipway/ui/form/Field.tsx';
import type { FieldValues } from 'react-hook-form';
import { CodeEditor } from '#kit/code/CodeEditor.tsx';
import type { CodeEditorHandle, CodeEditorProps } from '#kit/code/code-editor-props.ts';
import css from './CodeField.module.css';
import { useBound, type BoundField } from './bound-field.ts';

type CodeFieldProps<Values extends FieldValues> = BoundField<Values> &
  Pick<CodeEditorProps, 'language' | 'issues' | 'rows' | 'isReadOnly'> & {
    /** Gets the editor's handle, for links to a line. */
    onHandle?: (handle: CodeEditorHandle | null) => void;
  };

export function CodeField<Values extends FieldValues>({ form, name, hint, labelNote, onHandle, ...editor }: CodeFieldProps<Values>) {
  const { field, frame } = useBound({ form, name, hint, labelNote });
  return (
    <Field {...frame} className={css.wide} isGroup>
      <CodeEditor
        {...editor}
        ref={(element) => {
          field.ref(element);
          onHandle?.(element);
        }}
        label={frame.label ?? ''}
        value={field.value ?? ''}
        onChange={field.onChange}
        onBlur={field.onBlur}
      />
    </Field>
  );
}
