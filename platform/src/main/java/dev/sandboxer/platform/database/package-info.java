/** PostgreSQL: the embedded server, an external one, migrations, and the way to SQL (Jdbi). */
@NullMarked
package dev.sandboxer.platform.database;

import org.jspecify.annotations.NullMarked;
