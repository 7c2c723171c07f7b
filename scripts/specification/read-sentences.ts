/** Cuts a specification into its sentences: rows of tables, points of lists, and sentences of paragraphs. */
export interface Sentence {
  readonly section: string;
  readonly quote: string;
}

const quoteLength = 90;
/** Returns how a sentence is recognized: its first characters, without marks of Markdown and spaces at its ends. */
export const quoteOf = (text: string): string => text.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim().slice(0, quoteLength).trim();

const sentencesOf = (paragraph: string): readonly string[] => paragraph.split(/(?<=[.!?])\s+(?=["'A-Z])/);

/** Joins the cells of a row; undefined for the head of a table and the line below. */
const rowOf = (line: string, next: string | undefined): string | undefined =>
  /^\|[\s|:-]+$/.test(line) || (next !== undefined && /^\|[\s|:-]+$/.test(next))
    ? undefined
    : line
        .replaceAll(/^\||\|$/g, '')
        .split('|')
        .map((cell) => cell.trim())
        .join(' · ');

/** A line that only opens a list, such as "The shell holds:", says nothing by itself. */
const opensList = (text: string): boolean => text.endsWith(':') || /^\*\*[^*]+\*\*$/.test(text);

export const readSentences = (markdown: string): readonly Sentence[] => {
  const lines = markdown.split('\n');
  let section = '0';
  return lines.flatMap((line, index) => {
    const text = line.trim();
    if (text.startsWith('#')) {
      section = /^## (\d+)\./.exec(text)?.[1] ?? section;
      return [];
    }
    const parts = text.startsWith('|')
      ? [rowOf(text, lines[index + 1]?.trim()) ?? '']
      : text.startsWith('- ')
        ? sentencesOf(text.slice(2))
        : sentencesOf(text);
    return parts.filter((part) => part !== '' && !opensList(part)).map((part) => ({ section, quote: quoteOf(part) }));
  });
};
