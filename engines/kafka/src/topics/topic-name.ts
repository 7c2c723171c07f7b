/** Valid topic names, by Apache Kafka's rules (Topic.validate). */
const LONGEST = 249;

export const nameProblem = (name: string): string | undefined => {
  if (name === '') return 'Topic name is invalid: the empty string is not allowed';
  if (name === '.' || name === '..') return "Topic name is invalid: '.' or '..' is not allowed";
  if (name.length > LONGEST)
    return `Topic name is invalid: the length of '${name.slice(0, 40)}…' is longer than the max allowed length ${LONGEST}`;
  if (!/^[a-zA-Z0-9._-]+$/.test(name))
    return "Topic name is invalid: it contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'";
  return undefined;
};

/** Metric names replace dots by underscores, so two topics must not differ only in that. */
export const collisionKey = (name: string): string => name.replaceAll('.', '_');
