"""What many people left behind, written as SQL in bulk: the same for each, whoever they are."""

from __future__ import annotations

from django.db import connection

SUBMISSIONS = 10
"""Of each person, who also started one thread, under one of four lessons."""

_WRITES = {
    "accounts_user": """
        (password, is_superuser, email, display_name, timezone, is_staff, is_active, date_joined)
        SELECT '!', false, 'p' || n || '@example.org', 'Person ' || n, 'UTC', false, true,
               now() - n %% 300 * interval '1 day'
        FROM generate_series(%(first)s, %(last)s) n""",
    "accounts_grant": """
        (user_id, until, reason, given)
        SELECT id, now() + interval '9 days', 'bench', now() FROM people WHERE id %% 4 = 0""",
    "django_session": """
        (session_key, session_data, expire_date)
        SELECT md5(id::text), repeat('x', 200), now() + interval '9 days' FROM people""",
    "courses_lessonread": """
        (user_id, lesson_id, at)
        SELECT p.id, l.id, now() - p.id %% 300 * interval '1 day'
        FROM people p, (SELECT id FROM courses_lesson WHERE NOT retired ORDER BY id LIMIT 5) l""",
    "courses_answer": """
        (user_id, question_id, text, revision, question_version, started_at, submitted_at)
        SELECT p.id, q.id, repeat('x', 400), 1, '1', now(), now() - p.id %% 300 * interval '1 day'
        FROM people p, (SELECT id FROM courses_question WHERE NOT retired ORDER BY id LIMIT 3) q""",
    "courses_quizattempt": """
        (user_id, item_id, response, score, item_version, at)
        SELECT p.id, i.id, '[0]', p.id %% 2, '1', now() - p.id %% 300 * interval '1 day'
        FROM people p, (SELECT id FROM courses_quizitem WHERE NOT retired ORDER BY id LIMIT 6) i""",
    "practice_numbertry": """
        (user_id, number, inputs, drawn_at, typed, "right", answered_at)
        SELECT p.id, 'kv-bytes-a-token', '{}', now(), '1', n %% 2 = 0, now() - n * interval '1 day'
        FROM people p, generate_series(1, 4) n""",
    "practice_review": """
        (user_id, card, nth, grade, day, at)
        SELECT p.id, 'quiz:' || n, 1, 3, current_date - p.id::int %% 90, now()
        FROM people p, generate_series(1, 4) n""",
    "practice_cardstate": """
        (user_id, card, reviews, first_on, last_on, due_on, stability, difficulty, reviewed_at)
        SELECT p.id, 'quiz:' || n, 1, current_date, current_date, current_date, 1, 5, now()
        FROM people p, generate_series(1, 4) n""",
    "notes_note": """
        (lesson_id, lab, user_id, text, revision, written_at)
        SELECT (SELECT min(id) FROM courses_lesson), '', id, 'A note.', 1, now() FROM people""",
    "discussion_thread": """
        (lesson_id, lab, title, author_id, spoiler, created, last_at)
        SELECT l.id, '', 'Why is the mask kept, ' || p.id || '?', p.id, false, now(), now() - p.id * interval '1 minute'
        FROM people p
        JOIN (SELECT id, row_number() OVER (ORDER BY slug <> %(talked)s, id) - 1 AS place
              FROM courses_lesson WHERE NOT retired) l ON l.place = p.id %% 4""",
    "discussion_comment": """
        (thread_id, parent_id, author_id, text, html, revision, spoiler, created, hidden_why, untold)
        SELECT t.id, NULL, t.author_id, 'Words.', '<p>Words.</p>', 1, false, now(), '', false
        FROM discussion_thread t JOIN people p ON p.id = t.author_id""",
    "labs_submission": """
        (public_id, user_id, lab, mode, device, source, request_id, shared, state, attempt, worker, phase,
         progress_done, progress_total, verdict, outcome, score, grader_version, timeline_gone, created, started,
         finished)
        SELECT substr(md5(p.id || ' ' || n), 1, 16), p.id,
               (ARRAY['checkpoint-function', 'kv-cache', 'mfu-meter'])[n %% 3 + 1],
               'submit', 'cpu', convert_to(repeat('x', 300), 'UTF8'), '', false, 'done', 1, 'one', '', 8, 8, '{}',
               CASE WHEN n %% 3 = 0 THEN 'passed' ELSE 'failed' END, n %% 3 / 2.0, '1', true, at, at, at
        FROM people p, generate_series(1, %(submissions)s) n,
             LATERAL (SELECT now() - (p.id * 17 + n * 7919) %% 31536000 * interval '1 second' AS at) times""",
}  # fmt: skip

_REPLIES = """
    INSERT INTO discussion_comment
        (thread_id, parent_id, author_id, text, html, revision, spoiler, created, hidden_why, untold)
    SELECT c.thread_id, c.id, c.author_id, 'More words.', '<p>More words.</p>', 1, false, now(), '', false
    FROM discussion_comment c JOIN people p ON p.id = c.author_id, generate_series(1, 2)"""


def write(first: int, last: int, lesson: str) -> None:
    """Add people number `first` to `last` and all that they did, and let the database count its tables anew.

    Under `lesson` a quarter of them started a thread.
    """
    given = {"first": first, "last": last, "talked": lesson, "submissions": SUBMISSIONS}
    with connection.cursor() as cursor:
        for table, rows in _WRITES.items():
            cursor.execute(f"INSERT INTO {table} {rows}", given)
            if table == "accounts_user":
                cursor.execute(
                    "CREATE TEMPORARY TABLE people AS SELECT id FROM accounts_user "
                    "WHERE email ~ '^p[0-9]+@' AND substring(email from 2 for position('@' in email) - 2)::int "
                    "BETWEEN %(first)s AND %(last)s",
                    given,
                )
        cursor.execute(_REPLIES)
        cursor.execute("DROP TABLE people")
        cursor.execute("VACUUM ANALYZE")


def counts() -> dict[str, int]:
    """Return how many rows each table has that grows with people."""
    found = {}
    with connection.cursor() as cursor:
        for table in _WRITES:
            cursor.execute(f"SELECT count(*) FROM {table}")
            found[table] = cursor.fetchone()[0]
    return found
