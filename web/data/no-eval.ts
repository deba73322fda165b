import { z } from 'zod';

// The content security policy forbids evaluating code, which zod otherwise tries for speed when a schema is made.
z.config({ jitless: true });
