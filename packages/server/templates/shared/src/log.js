// One JSON object per line: the platform keeps the lines, and tools can search them by field.
const write = (level, message, fields = {}) => {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
};

export const log = {
  info: (message, fields) => write('info', message, fields),
  error: (message, fields) => write('error', message, fields),
};
